import { describe, expect, test } from "vitest";
import type { JsonObject } from "../json.ts";
import { History, kindNamed } from "./apply.fixture.ts";

const configMap = () => new History(kindNamed("ConfigMap"));
const deployment = () => new History(kindNamed("Deployment"));

const container = (more: JsonObject = {}): JsonObject => ({ name: "web", image: "nginx:1", ...more });
const podTemplate = (...containers: JsonObject[]): JsonObject => ({
  spec: { template: { spec: { containers } } },
});

describe("an applied configuration", () => {
  test("makes the object where there is none, and owns what it says", () => {
    const made = configMap().apply("flux", { metadata: { labels: { app: "web" } }, data: { a: "1" } });
    expect(made.fields).toEqual({ metadata: { labels: { app: "web" } }, data: { a: "1" } });
    expect(made.owners).toEqual({
      flux: { "f:data": { "f:a": {} }, "f:metadata": { "f:labels": { "f:app": {} } } },
    });
  });

  test("adds to what others have applied", () => {
    const both = configMap()
      .apply("one", { data: { a: "1" } })
      .apply("two", { data: { b: "2" } });
    expect(both.fields).toEqual({ data: { a: "1", b: "2" } });
    expect(both.owners).toEqual({ one: { "f:data": { "f:a": {} } }, two: { "f:data": { "f:b": {} } } });
  });

  test("removes what its applier does not speak of any more", () => {
    const left = configMap()
      .apply("flux", { data: { a: "1", b: "2" } })
      .apply("flux", { data: { a: "1" } });
    expect(left.fields).toEqual({ data: { a: "1" } });
    expect(left.owners).toEqual({ flux: { "f:data": { "f:a": {} } } });
  });

  test("removes a structure with everything nobody owns in it, when all that was owned in it goes", () => {
    const history = deployment().apply("flux", { spec: { replicas: 1, strategy: { type: "Recreate" } } });
    const defaulted = {
      ...history.object,
      spec: { replicas: 1, strategy: { type: "Recreate", unowned: 1 } },
    };
    history.object = defaulted as typeof history.object;
    expect(history.apply("flux", { spec: { replicas: 1 } }).fields).toEqual({ spec: { replicas: 1 } });
  });

  test("leaves what somebody else owns as well", () => {
    const shared = configMap()
      .apply("one", { data: { a: "1", b: "2" } })
      .apply("two", { data: { b: "2" } })
      .apply("one", { data: { a: "1" } });
    expect(shared.fields).toEqual({ data: { a: "1", b: "2" } });
    expect(shared.owners).toEqual({ one: { "f:data": { "f:a": {} } }, two: { "f:data": { "f:b": {} } } });
  });

  test("leaves what a controller has set meanwhile", () => {
    const scaled = deployment()
      .apply("flux", { spec: { replicas: 1, paused: true } })
      .write("hpa", { spec: { replicas: 5, paused: true } })
      .apply("flux", { spec: { paused: true } });
    expect(scaled.fields).toEqual({ spec: { replicas: 5, paused: true } });
    expect(scaled.owners).toEqual({
      flux: { "f:spec": { "f:paused": {} } },
      "hpa (Update)": { "f:spec": { "f:replicas": {} } },
    });
  });

  test("merges lists by the keys of their items, in its own order, with the items of others among them", () => {
    const merged = deployment()
      .apply("one", podTemplate(container({ name: "a" }), container({ name: "b" })))
      .apply("two", podTemplate({ name: "sidecar", image: "proxy" }))
      .apply("one", podTemplate(container({ name: "b" }), container({ name: "a", image: "nginx:2" })));
    expect(merged.fields).toEqual(
      podTemplate(
        { name: "b", image: "nginx:1" },
        { name: "sidecar", image: "proxy" },
        { name: "a", image: "nginx:2" },
      ),
    );
  });

  test("tells ports apart by number and protocol, TCP when nothing is said", () => {
    const ports = (...list: JsonObject[]) => podTemplate(container({ ports: list }));
    const merged = deployment()
      .apply("one", ports({ containerPort: 53 }))
      .apply("two", ports({ containerPort: 53, protocol: "UDP" }));
    expect(merged.fields).toEqual(ports({ containerPort: 53 }, { containerPort: 53, protocol: "UDP" }));
  });

  test("replaces what is owned as a whole", () => {
    const selector = (matchLabels: JsonObject): JsonObject => ({ spec: { selector: { matchLabels } } });
    const replaced = deployment()
      .apply("flux", selector({ a: "1" }))
      .apply("flux", selector({ b: "2" }));
    expect(replaced.fields).toEqual(selector({ b: "2" }));
    expect(replaced.owners).toEqual({ flux: { "f:spec": { "f:selector": {} } } });
  });

  test("does not reach the status, and none of its owner's fields is lost by it", () => {
    const both = deployment()
      .apply("flux", { spec: { replicas: 1 } })
      .apply("controller", { status: { replicas: 1 } }, { subresource: "status" })
      .apply("flux", { spec: { replicas: 1 }, status: { replicas: 9 } });
    expect(both.fields).toEqual({ spec: { replicas: 1 }, status: { replicas: 1 } });
    expect(both.owners).toEqual({
      "controller (Apply of status)": { "f:status": { "f:replicas": {} } },
      flux: { "f:spec": { "f:replicas": {} } },
    });
  });

  test("through the status speaks of nothing else", () => {
    const both = deployment()
      .apply("flux", { spec: { replicas: 1 } })
      .apply(
        "controller",
        { metadata: { labels: { a: "b" } }, spec: { replicas: 7 }, status: { replicas: 1 } },
        { subresource: "status" },
      );
    expect(both.fields).toEqual({ spec: { replicas: 1 }, status: { replicas: 1 } });
  });
});

describe("conflicts", () => {
  const owned = () =>
    deployment()
      .write("kubectl-client-side-apply", { spec: { replicas: 1, paused: true } })
      .apply("one", { metadata: { labels: { app: "web" } } });

  test("name the owner and the field, and nothing changes", () => {
    const history = owned();
    const before = structuredClone(history.object);
    expect(history.tryApply("two", { spec: { replicas: 2 } })).toBe(
      'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using apps/v1: .spec.replicas',
    );
    expect(history.object).toEqual(before);
  });

  test("are told owner by owner when there are several", () => {
    const config = { metadata: { labels: { app: "api" } }, spec: { replicas: 2, paused: false } };
    expect(owned().tryApply("two", config)).toBe(
      [
        'Apply failed with 3 conflicts: conflicts with "kubectl-client-side-apply" using apps/v1:',
        "- .spec.paused",
        "- .spec.replicas",
        'conflicts with "one":',
        "- .metadata.labels.app",
      ].join("\n"),
    );
  });

  test("say through which part the other one wrote", () => {
    const scaled = owned().write("kubectl", { spec: { replicas: 5, paused: true } }, "scale");
    expect(scaled.tryApply("two", { spec: { replicas: 2 } })).toBe(
      'Apply failed with 1 conflict: conflict with "kubectl" with subresource "scale" using apps/v1: .spec.replicas',
    );
  });

  test("name items by their keys", () => {
    const history = deployment().apply("one", podTemplate(container()));
    expect(history.tryApply("two", podTemplate(container({ image: "nginx:2" })))).toBe(
      'Apply failed with 1 conflict: conflict with "one": .spec.template.spec.containers[name="web"].image',
    );
  });

  test("there are none about a value that is the same", () => {
    const shared = configMap()
      .apply("one", { data: { a: "1" } })
      .apply("two", { data: { a: "1" } });
    expect(shared.owners).toEqual({ one: { "f:data": { "f:a": {} } }, two: { "f:data": { "f:a": {} } } });
  });

  test("give way to force, which takes the fields over", () => {
    const taken = owned().apply("two", { spec: { replicas: 2 } }, { force: true });
    expect(taken.fields).toMatchObject({ spec: { replicas: 2, paused: true } });
    expect(taken.owners).toMatchObject({
      two: { "f:spec": { "f:replicas": {} } },
      "kubectl-client-side-apply (Update)": { "f:spec": { "f:paused": {} } },
    });
  });

  test("are with nobody by name where no account was kept", () => {
    const history = configMap().write("old", { data: { a: "1" } });
    if (history.object) history.object.metadata.managedFields = [];
    expect(history.tryApply("flux", { data: { a: "2" } })).toBe(
      'Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.a',
    );
  });
});

describe("what kubectl applied on the client", () => {
  const LAST = "kubectl.kubernetes.io/last-applied-configuration";
  const config = (data: JsonObject): JsonObject => ({ metadata: { annotations: {} }, data });
  const existing = () => {
    const last = JSON.stringify({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "x" },
      data: { a: "1" },
    });
    return configMap().write("kubectl-client-side-apply", {
      metadata: { annotations: { [LAST]: last } },
      data: { a: "1" },
    });
  };

  test("is no conflict for kubectl on the server", () => {
    expect(existing().apply("kubectl", config({ a: "2" })).fields).toMatchObject({ data: { a: "2" } });
  });

  test("is one for others", () => {
    expect(existing().tryApply("flux", config({ a: "2" }))).toContain("Apply failed with 1 conflict");
  });

  test("is one when it has changed since", () => {
    const changed = existing();
    const { metadata } = changed.fields;
    changed.write("somebody", { metadata: metadata ?? {}, data: { a: "9" } });
    expect(changed.tryApply("kubectl", config({ a: "2" }))).toContain(
      'conflict with "somebody" using v1: .data.a',
    );
  });

  test("is kept in step, so that kubectl can go back", () => {
    const { metadata } = existing().apply("kubectl", config({ a: "2" })).fields;
    expect((metadata as JsonObject).annotations).toEqual({
      [LAST]:
        '{"apiVersion":"v1","data":{"a":"2"},"kind":"ConfigMap","metadata":{"annotations":{},"name":"x"}}\n',
    });
  });
});

describe("a configuration that cannot be told apart is refused", () => {
  const refused = (fields: JsonObject) => {
    const outcome = deployment().tryApply("flux", fields);
    return typeof outcome === "string" ? outcome : "accepted";
  };
  const PREFIX = "failed to create typed patch object (/x; apps/v1, Kind=Deployment): ";
  const at = ".spec.template.spec.containers";

  test.each<[string, JsonObject, string]>([
    [
      "an item without its key",
      podTemplate({ image: "nginx" }),
      `${at}: element 0: associative list with keys has an element that omits key field "name" (and doesn't have default value)`,
    ],
    ["an item twice", podTemplate(container(), container()), `${at}: duplicate entries for key [name="web"]`],
    [
      "an item that is no object",
      { spec: { template: { spec: { containers: ["web"] } } } },
      `${at}: element 0: associative list with keys may not have non-map elements`,
    ],
    [
      "a null in a set",
      { metadata: { finalizers: [null] } },
      ".metadata.finalizers: element 0: associative list without keys has an element that's an explicit null",
    ],
    ["no list at all", { metadata: { finalizers: "x/y" } }, '.metadata.finalizers: expected list, got "x/y"'],
  ])("%s", (_, fields, fault) => {
    expect(refused(fields)).toBe(PREFIX + fault);
  });

  test("every fault is told", () => {
    expect(refused({ metadata: { finalizers: [null] }, ...podTemplate({ image: "nginx" }) })).toMatch(
      /: errors:\n {2}\.metadata\.finalizers: .*\n {2}\.spec\.template/,
    );
  });
});
