import type { TestCluster } from "../cluster.ts";
import { DEFINED, type ServedKind, servedKinds } from "./places.ts";
import type { Body, StoredRows } from "./stored-rows.ts";

/** Takes off whatever holds an object that is being deleted, as those who put it there would at last. Returns refusals. */
export async function letGo(cluster: TestCluster, { objects }: StoredRows): Promise<string[]> {
  const refused: string[] = [];
  await serveAgain(cluster);
  const kinds = await servedKinds(cluster);
  for (const row of objects) {
    if (row.deletion === null) continue;
    const kind = kinds.find((served) => storeOf(served) === row.resource);
    if (kind === undefined) continue;
    const path = pathTo(kind, row.namespace, row.name);
    const { metadata } = JSON.parse(row.body) as Body;
    if (row.resource === "namespaces") await finalize(cluster, path);
    const finalizers = (metadata.finalizers ?? []).filter((name) => name === CLEANUP);
    if (finalizers.length !== (metadata.finalizers ?? []).length) {
      const patch = { metadata: { finalizers } };
      const type = { "content-type": "application/merge-patch+json" };
      const { code, text } = await cluster.call("PATCH", path, patch, type);
      if (code !== 200 && code !== 404) refused.push(`${path}: ${text}`);
    }
    if (row.resource === "pods") await cluster.call("DELETE", path, { gracePeriodSeconds: 0 });
  }
  return refused;
}

/** Of definitions; the server takes it off when no object of theirs is left. */
const CLEANUP = "customresourcecleanup.apiextensions.k8s.io";

/** A definition that was torn out, or serves no more, has left objects that nobody can reach. */
async function serveAgain(cluster: TestCluster): Promise<void> {
  const root = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  for (const { resource, kind, namespaced } of DEFINED) {
    const name = `${resource}.fuzz.example.com`;
    const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
    const versions = [{ name: "v1", served: true, storage: true, schema }];
    const spec = {
      group: "fuzz.example.com",
      names: { plural: resource, kind },
      scope: namespaced ? "Namespaced" : "Cluster",
      versions,
    };
    const { code } = await cluster.call("POST", root, { metadata: { name }, spec });
    if (code !== 409) continue;
    const patch = { spec: { versions } };
    const type = { "content-type": "application/merge-patch+json" };
    await cluster.call("PATCH", `${root}/${name}`, patch, type);
  }
}

async function finalize(cluster: TestCluster, path: string): Promise<void> {
  const { code, body } = await cluster.call("GET", path);
  const kept = code === 200 ? (body.spec?.finalizers ?? []) : [];
  if (kept.some((name: string) => name !== "kubernetes")) {
    await cluster.call("PUT", `${path}/finalize`, { ...body, spec: { finalizers: ["kubernetes"] } });
  }
}

export function pathTo({ apiVersion, resource }: ServedKind, namespace: string, name: string): string {
  const root = apiVersion === "v1" ? "/api/v1" : `/apis/${apiVersion}`;
  const place = namespace === "" ? "" : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${root}${place}/${resource}/${encodeURIComponent(name)}`;
}

function storeOf({ apiVersion, resource }: ServedKind): string {
  const group = apiVersion.includes("/") ? apiVersion.split("/")[0] : "";
  return group === "" ? resource : `${resource}.${group}`;
}
