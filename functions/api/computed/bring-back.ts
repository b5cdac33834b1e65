import { graphName } from "../../graph/graph-name.ts";
import type { Relinked } from "../../graph/restore/relink.ts";
import type { RestoreReply, RestoreRequest } from "../../graph/restore/restore-request.ts";
import type { Failure } from "../../objects/failure.ts";
import type { JsonObject } from "../../objects/json.ts";
import type { KubeObject } from "../../objects/object.ts";
import type { ApiContext } from "../context.ts";
import { isSuperseded } from "../faults.ts";

/**
 * Has objects written that come back, or come from elsewhere: first whether all of them could be, in every namespace;
 * then those of the cluster, and then each namespace in one transaction. A failure of the first step changed nothing.
 */
export async function bringBack(
  context: ApiContext,
  objects: readonly Relinked[],
  dryRun: boolean,
): Promise<Failure | undefined> {
  const places = Map.groupBy(objects, ({ object }) => object.metadata.namespace ?? "");
  const made = new Set(
    (places.get("") ?? [])
      .filter(({ kind }) => kind.traits.deletion === "namespace")
      .map(({ object }) => object.metadata.name),
  );
  // In a namespace that comes back itself no name can be taken.
  const tried = [...places].filter(([namespace]) => !made.has(namespace));
  const failure = await restoreAll(context, tried, true);
  if (failure || dryRun) return failure;
  const inCluster = [...places].filter(([namespace]) => namespace === "");
  const inNamespaces = [...places].filter(([namespace]) => namespace !== "");
  // An owner of the cluster is there before those that name it.
  return (await restoreAll(context, inCluster, false)) ?? (await restoreAll(context, inNamespaces, false));
}

async function restoreAll(
  context: ApiContext,
  places: readonly (readonly [string, readonly Relinked[]])[],
  dryRun: boolean,
): Promise<Failure | undefined> {
  for (const [namespace, objects] of places) {
    const request: RestoreRequest = {
      restore: objects.map(({ kind, object }) => ({
        kind,
        body: JSON.stringify(dryRun ? outlineOf(object) : object),
      })),
      dryRun,
    };
    const attempt = async (): Promise<RestoreReply> =>
      context.graphs.getByName(graphName(context.cluster, namespace)).restore(request);
    const reply = await attempt().catch((fault: unknown) => {
      if (isSuperseded(fault)) return attempt();
      throw fault;
    });
    if (!reply.ok) return reply.failure;
  }
  return undefined;
}

/** As much of it as decides whether it can be written: the bodies of a whole tree are sent once, and not twice. */
function outlineOf({ apiVersion, kind, metadata }: KubeObject): JsonObject {
  const { labels: _, annotations: __, managedFields: ___, ...told } = metadata;
  return { apiVersion, kind, metadata: told as unknown as JsonObject };
}
