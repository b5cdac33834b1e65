import type { Failure } from "../../objects/failure.ts";
import type { Kind } from "../../objects/kind.ts";

/** What a graph object is asked to bring back, all of it or nothing. */
export interface RestoreRequest {
  restore: readonly RestoredObject[];
  /** Nothing is written; whether all of it could be is told. */
  dryRun: boolean;
}

/** An object as it is to be stored, its new uid included; JSON text. */
export interface RestoredObject {
  kind: Kind;
  body: string;
}

export type RestoreReply = { ok: true; resourceVersion: number } | { ok: false; failure: Failure };
