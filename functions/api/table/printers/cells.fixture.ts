import { kindRegistry } from "../../../objects/kinds/registry.ts";
import type { KubeObject, ObjectMeta } from "../../../objects/object.ts";
import { columnsOf } from "../printers.ts";

/** The clock of these tests, and how old their objects are. */
const now = Date.parse("2026-11-20T16:00:00Z");
export const age = "60m";

/** All cells of an object named `x`, an hour old, of the kind at `<group>/<version>/<resource>`. */
export function cells(path: string, fields: object, metadata: Partial<ObjectMeta> = {}): unknown[] {
  const [group = "", version = "", resource = ""] = path.split("/");
  const kind = kindRegistry([]).served(group, version, resource);
  if (kind === undefined) throw new Error(`no kind at ${path}`);
  const object: KubeObject = {
    apiVersion: "v1",
    kind: kind.kind,
    metadata: { name: "x", uid: "u", creationTimestamp: "2026-11-20T15:00:00Z", ...metadata },
    ...fields,
  };
  return columnsOf(kind).map((column) => column.cell(object, now));
}
