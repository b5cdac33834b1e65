import { describe, expect, it } from "vitest";
import { timestamp } from "../../objects/object.ts";
import { kindOf, NOW, PLANET, refersTo, stored } from "./decide.fixture.ts";
import { invalidNamespaceEvent } from "./invalid-namespace-event.ts";

const owner = refersTo(kindOf("pods"), "podname2", { uid: "poduid2" });
const dependent = stored(kindOf("configmaps"), { metadata: { name: "c", namespace: "ns1" } });

describe("the Warning about an owner in another namespace", () => {
  it("#130 says which reference of which dependent it is about", () => {
    const { metadata: _, ...event } = invalidNamespaceEvent(dependent, owner, NOW);
    expect(event).toEqual({
      involvedObject: { kind: "ConfigMap", namespace: "ns1", name: "c", uid: "uid-c", apiVersion: "v1" },
      reason: "OwnerRefInvalidNamespace",
      message:
        'ownerRef [v1/Pod, namespace: ns1, name: podname2, uid: poduid2] does not exist in namespace "ns1"',
      source: { component: "garbage-collector-controller" },
      firstTimestamp: timestamp(NOW),
      lastTimestamp: timestamp(NOW),
      count: 1,
      type: "Warning",
      eventTime: null,
      reportingComponent: "garbage-collector-controller",
      reportingInstance: "",
    });
  });

  it("#132 leaves the namespace of a cluster-scoped dependent empty", () => {
    const { message, involvedObject } = invalidNamespaceEvent(
      stored(PLANET, { metadata: { name: "earth" } }),
      owner,
      NOW,
    );
    expect(message).toBe(
      'ownerRef [v1/Pod, namespace: , name: podname2, uid: poduid2] does not exist in namespace ""',
    );
    expect(involvedObject).toEqual({
      kind: "Planet",
      name: "earth",
      uid: "uid-earth",
      apiVersion: "example.com/v1",
    });
  });

  const nameOf = (object: typeof dependent) => {
    const { metadata } = invalidNamespaceEvent(object, owner, NOW);
    return (metadata as { name: string }).name;
  };

  it("is named after its dependent and the nanosecond, in 16 hexadecimal digits", () => {
    expect(nameOf(dependent)).toMatch(/^c\.[0-9a-f]{16}$/);
    const nanoseconds = BigInt(`0x${nameOf(dependent).slice(2)}`);
    expect(nanoseconds / 1_000_000n).toBe(BigInt(NOW));
  });

  it("has another name than one about a dependent of the same name, in the same millisecond", () => {
    const named = (kind: string, uid: string) =>
      nameOf(stored(kindOf(kind), { metadata: { name: "c", namespace: "ns1", uid } }));
    expect(named("configmaps", "0b8b1a6c-0b3e-4b57-9d43-0d9e2a5a9f11")).not.toBe(
      named("secrets", "7f3c55d2-64a8-4b3c-8b7a-b3f1f0a3c9e4"),
    );
  });
});
