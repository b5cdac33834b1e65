/** What the person who started the server can put right. It is shown as one line, without a stack. */
export class StartFault extends Error {
  override name = "StartFault";
}

/** The system's code of an error (`EACCES`, `EADDRINUSE` …), when it has one. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
