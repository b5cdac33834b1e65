import type { JsonObject } from "../../objects/json.ts";
import { type KubeObject, type Millis, type OwnerReference, timestamp } from "../../objects/object.ts";

/**
 * The Warning for an owner in a namespace it must not be named from. It concerns the dependent; a cluster-scoped
 * one has its event in namespace `default`.
 *
 * Source: kubernetes garbagecollector graph_builder.go (reportInvalidNamespaceOwnerRef); the name is that of
 * client-go's event recorder, `<object>.<nanoseconds in hex>`. The clock has milliseconds, so the rest comes from the
 * dependent's uid: objects of one name and several kinds, written together, have an event each.
 */
export function invalidNamespaceEvent(
  dependent: KubeObject,
  reference: OwnerReference,
  now: Millis,
): JsonObject {
  const { name, uid } = dependent.metadata;
  const namespace = dependent.metadata.namespace ?? "";
  const time = timestamp(now);
  const owner = `${reference.apiVersion}/${reference.kind}, namespace: ${namespace}, name: ${reference.name}, uid: ${reference.uid}`;
  return {
    metadata: { name: `${name}.${(BigInt(now) * 1_000_000n + withinMillisecond(uid)).toString(16)}` },
    involvedObject: {
      kind: dependent.kind,
      ...(namespace === "" ? {} : { namespace }),
      name,
      uid,
      apiVersion: dependent.apiVersion,
    },
    reason: "OwnerRefInvalidNamespace",
    message: `ownerRef [${owner}] does not exist in namespace "${namespace}"`,
    source: { component: "garbage-collector-controller" },
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
    type: "Warning",
    eventTime: null,
    reportingComponent: "garbage-collector-controller",
    reportingInstance: "",
  };
}

/** Nanoseconds, fewer than a millisecond, that differ from uid to uid. */
function withinMillisecond(uid: string): bigint {
  let mixed = 0;
  for (const char of uid) mixed = (mixed * 31 + char.charCodeAt(0)) % 1_000_000;
  return BigInt(mixed);
}
