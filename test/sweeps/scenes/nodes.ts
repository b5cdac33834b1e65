import { reviewing } from "../../outbound/serving.ts";
import { CORE, type Scene } from "../scene.ts";

const ready = (status: string) => ({ status: { conditions: [{ type: "Ready", status }] } });

/** With an instance provider that knows all machines but `gone`. */
export async function nodes(): Promise<Scene & { asked: readonly object[] }> {
  const { url, asked } = await reviewing(({ request }) => ({
    result: String(request.node).startsWith("gone") ? "NotFound" : "Running",
  }));
  return {
    sweep: "nodes",
    settings: { instanceProvider: { url } },
    asked,
    async lay(stage) {
      const put = (name: string, status: string) => stage.put(`${CORE}/nodes`, name, ready(status));
      return {
        going: { [await put("gone", "Unknown")]: "instance-absent" },
        staying: [await put("gone-but-ready", "True"), await put("slow", "False")],
        events: ["DeletingNode"],
      };
    },
  };
}
