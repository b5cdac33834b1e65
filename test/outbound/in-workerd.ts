import { resolve } from "node:path";
import { build } from "esbuild";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";

const root = resolve(import.meta.dirname, "../..");

/** A function of the Worker, called in the runtime in which it stands. Arguments and result are plain data. */
export async function inWorkerd<Args extends unknown[], Result>(
  module: string,
  name: string,
): Promise<{ call(...args: Args): Promise<Result>; stop(): Promise<void> }> {
  const contents = `
    import { ${name} as called } from "./${module}";
    export default {
      async fetch(request) {
        const result = await called(...(await request.json()));
        return new Response(JSON.stringify(result, (_, value) =>
          value instanceof Headers ? Object.fromEntries(value) : value));
      },
    };`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    write: false,
    format: "esm",
    external: ["cloudflare:*"],
  });
  const script = outputFiles[0]?.text ?? "";
  const worker = { modules: true, compatibilityDate: "2026-11-01", script };
  const runtime = new Miniflare(convertV4MiniflareOptions({ cf: false, workers: [worker] }));
  await runtime.ready;
  return {
    async call(...args) {
      const response = await runtime.dispatchFetch("http://worker/", {
        method: "POST",
        body: JSON.stringify(args),
      });
      return (await response.json()) as Result;
    },
    stop: () => runtime.dispose(),
  };
}
