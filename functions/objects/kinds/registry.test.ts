import { describe, expect, test } from "vitest";
import type { Kind } from "../kind.ts";
import { type GroupResource, groupResource } from "../object.ts";
import { customKind } from "./custom-resource.ts";
import { kindRegistry } from "./registry.ts";
import { compareVersions } from "./version-priority.ts";

const builtIn = kindRegistry([]);

function served(path: string, registry = builtIn): Kind {
  const parts = path.split("/");
  const [group, version, resource] = parts.length === 3 ? parts : ["", ...parts];
  const kind = registry.served(group ?? "", version ?? "", resource ?? "");
  if (!kind) throw new Error(`${path} is not served`);
  return kind;
}

const custom = (group: string, plural: string, kind: string, versions: readonly string[] = ["v1"]): Kind =>
  customKind({
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, kind },
      versions: versions.map((name, i) => ({ name, served: true, storage: i === 0 })),
    },
  });

describe("what is served where", () => {
  test.each([
    ["v1/configmaps", "ConfigMap"],
    ["apps/v1/deployments", "Deployment"],
    ["apps/v1beta1/deployments", "Deployment"],
    ["extensions/v1beta1/ingresses", "Ingress"],
    ["autoscaling/v1/horizontalpodautoscalers", "HorizontalPodAutoscaler"],
    ["policy/v1beta1/podsecuritypolicies", "PodSecurityPolicy"],
    ["batch/v1beta1/cronjobs", "CronJob"],
    ["flowcontrol.apiserver.k8s.io/v1beta1/flowschemas", "FlowSchema"],
    ["coordination.k8s.io/v1alpha2/leasecandidates", "LeaseCandidate"],
    ["coordination.k8s.io/v1beta1/leasecandidates", "LeaseCandidate"],
    ["internal.apiserver.k8s.io/v1alpha1/storageversions", "StorageVersion"],
  ])("%s serves %s", (path, kind) => {
    expect(served(path).kind).toBe(kind);
  });

  test.each([
    ["apps", "v1beta1", "daemonsets"],
    ["apps", "v1beta1", "replicasets"],
    ["policy", "v1", "podsecuritypolicies"],
    ["batch", "v1beta1", "jobs"],
    ["coordination.k8s.io", "v1beta1", "leases"],
    ["coordination.k8s.io", "v1", "leasecandidates"],
    ["extensions", "v1beta1", "statefulsets"],
    ["", "v2", "pods"],
    ["", "v1", "Pod"],
    ["", "v1", "constructor"],
  ])("%s/%s has no %s", (group, version, resource) => {
    expect(builtIn.served(group, version, resource)).toBeUndefined();
  });

  test.each([
    ["extensions/v1beta1/deployments", "deployments.apps"],
    ["extensions/v1beta1/ingresses", "ingresses.networking.k8s.io"],
    ["events.k8s.io/v1/events", "events"],
    ["apps/v1beta2/replicasets", "replicasets.apps"],
  ])("%s is kept in %s, whose own kind is another group's", (path, store) => {
    expect(served(path).storedAs).toBe(store);
    const owner = builtIn.byStore(store as GroupResource);
    expect(owner && groupResource(owner.group, owner.resource)).toBe(store);
  });

  test("short names and the category all mean one resource, but for the two groups of events", () => {
    const preferred = builtIn.all().filter(({ resource }) => resource !== "events");
    const shortNames = preferred.flatMap((kind) => kind.shortNames);
    expect(new Set(shortNames).size).toBe(shortNames.length);
    const inAll = preferred.filter((kind) => kind.categories.includes("all")).map((kind) => kind.storedAs);
    expect(new Set(inAll).size).toBe(inAll.length);
  });

  test("every store has a kind that owns it", () => {
    for (const kind of builtIn.all()) expect(builtIn.byStore(kind.storedAs)).toBeDefined();
  });

  test("the core group comes first, apps before extensions, newest stable version in front", () => {
    const groups = builtIn.groups();
    const names = groups.map(({ group }) => group);
    expect(names[0]).toBe("");
    expect(names.indexOf("apps")).toBeLessThan(names.indexOf("extensions"));
    expect(groups.find(({ group }) => group === "apps")?.versions).toEqual(["v1", "v1beta2", "v1beta1"]);
    expect(groups.find(({ group }) => group === "autoscaling")?.versions).toEqual(["v2", "v1"]);
  });

  test("a kind's own versions are in priority order", () => {
    for (const kind of builtIn.all()) {
      expect([...kind.versions].sort(compareVersions)).toEqual(kind.versions);
    }
  });
});

describe("claims of owner references", () => {
  test.each([
    ["v1", "Pod", "pods"],
    ["apps/v1beta2", "ReplicaSet", "replicasets"],
    ["extensions/v1beta1", "ReplicaSet", "replicasets"],
    ["events.k8s.io/v1", "Event", "events"],
  ])("%s %s is %s", (apiVersion, kind, resource) => {
    expect(builtIn.claimed(apiVersion, kind)?.resource).toBe(resource);
  });

  test.each([
    ["apps/v1beta9", "Deployment"],
    ["v1", "Deployment"],
    ["nope.example.com/v1", "Nope"],
    ["a/b/c", "Pod"],
    ["", ""],
  ])("%s %s names nothing", (apiVersion, kind) => {
    expect(builtIn.claimed(apiVersion, kind)).toBeUndefined();
  });
});

describe("traits", () => {
  const kindsWith = (holds: (kind: Kind) => boolean) =>
    builtIn
      .all()
      .filter(holds)
      .map((kind) => groupResource(kind.group, kind.resource))
      .sort();

  test("exactly these answer a removal with the object", () => {
    expect(kindsWith((kind) => kind.traits.returnsDeletedObject)).toEqual([
      "csidrivers.storage.k8s.io",
      "csinodes.storage.k8s.io",
      "namespaces",
      "persistentvolumeclaims",
      "persistentvolumes",
      "pods",
      "podsecuritypolicies.policy",
      "podtemplates",
      "resourcequotas",
      "serviceaccounts",
      "storageclasses.storage.k8s.io",
      "volumeattachments.storage.k8s.io",
    ]);
  });

  test.each<[string, string, boolean]>([
    ["v1/replicationcontrollers", "v1", true],
    ["batch/v1/jobs", "batch/v1", true],
    ["batch/v1/cronjobs", "batch/v1", false],
    ["batch/v1beta1/cronjobs", "batch/v1beta1", true],
    ["apps/v1/deployments", "apps/v1", false],
    ["apps/v1beta1/deployments", "apps/v1beta1", true],
    ["apps/v1beta2/deployments", "apps/v1beta2", true],
    ["extensions/v1beta1/deployments", "extensions/v1beta1", true],
    ["apps/v1beta2/replicasets", "apps/v1beta2", true],
    ["extensions/v1beta1/replicasets", "extensions/v1beta1", true],
    ["apps/v1beta2/daemonsets", "apps/v1beta2", true],
    ["apps/v1beta1/statefulsets", "apps/v1beta1", true],
    ["apps/v1beta1/controllerrevisions", "apps/v1beta1", false],
    ["extensions/v1beta1/ingresses", "extensions/v1beta1", false],
    ["v1/pods", "v1", false],
  ])("a DELETE of %s orphans by default in %s: %s", (path, apiVersion, orphans) => {
    expect(served(path).traits.orphansByDefaultIn.includes(apiVersion)).toBe(orphans);
  });

  test("only pods are graceful, only events are not collected, only namespaces are emptied first", () => {
    expect(kindsWith(({ traits }) => traits.deletion === "graceful")).toEqual(["pods"]);
    expect(kindsWith(({ traits }) => traits.deletion === "unsupported")).toEqual([
      "events",
      "events.events.k8s.io",
    ]);
    expect(kindsWith(({ traits }) => traits.deletion === "namespace")).toEqual(["namespaces"]);
  });

  test.each([
    ["v1/services", "label-1035"],
    ["v1/namespaces", "label"],
    ["apps/v1/statefulsets", "label"],
    ["rbac.authorization.k8s.io/v1/roles", "path-segment"],
    ["rbac.authorization.k8s.io/v1/clusterrolebindings", "path-segment"],
    ["certificates.k8s.io/v1/certificatesigningrequests", "path-segment"],
    ["v1/events", "path-segment"],
    ["events.k8s.io/v1/events", "subdomain"],
    ["v1/configmaps", "subdomain"],
    ["v1/pods", "subdomain"],
  ])("the name of %s is a %s", (path, syntax) => {
    expect(served(path).traits.nameSyntax).toBe(syntax);
  });

  test.each([
    ["v1/pods", true],
    ["apps/v1/deployments", true],
    ["batch/v1/jobs", true],
    ["networking.k8s.io/v1/networkpolicies", true],
    ["v1/configmaps", false],
    ["v1/services", false],
    ["v1/nodes", false],
    ["apps/v1/controllerrevisions", false],
  ])("%s counts generations: %s", (path, counts) => {
    expect(served(path).traits.countsGenerations).toBe(counts);
  });
});

describe("custom kinds", () => {
  test("are found by path, claim, version and store beside the built-in ones", () => {
    const registry = kindRegistry([custom("example.com", "widgets", "Widget", ["v1", "v2beta1"])]);
    expect(served("example.com/v2beta1/widgets", registry).kind).toBe("Widget");
    expect(registry.claimed("example.com/v1", "Widget")?.resource).toBe("widgets");
    expect(registry.inVersion("example.com", "v1").map(({ resource }) => resource)).toEqual(["widgets"]);
    expect(registry.byStore("widgets.example.com" as GroupResource)?.kind).toBe("Widget");
    expect(served("v1/pods", registry).kind).toBe("Pod");
    expect(registry.all()).toHaveLength(builtIn.all().length + 1);
    expect(builtIn.served("example.com", "v1", "widgets")).toBeUndefined();
  });

  test("add their versions to a group, in priority order, and groups follow by name", () => {
    const registry = kindRegistry([
      custom("z.example.com", "as", "A", ["v1alpha1"]),
      custom("a.example.com", "bs", "B", ["v1beta1"]),
      custom("a.example.com", "cs", "C", ["v1", "foo"]),
    ]);
    expect(registry.groups().slice(-2)).toEqual([
      { group: "a.example.com", versions: ["v1", "v1beta1", "foo"] },
      { group: "z.example.com", versions: ["v1alpha1"] },
    ]);
  });

  test("never replace a built-in kind", () => {
    const registry = kindRegistry([
      custom("apps", "deployments", "Fake"),
      custom("extensions", "deployments", "Fake"),
    ]);
    expect(served("apps/v1/deployments", registry).kind).toBe("Deployment");
    expect(registry.all().some(({ kind }) => kind === "Fake")).toBe(false);
  });
});

test("version priority: stable, beta, alpha, then everything else by name", () => {
  const expected = [
    "v10",
    "v2",
    "v1",
    "v11beta2",
    "v10beta3",
    "v3beta1",
    "v12alpha1",
    "v11alpha2",
    "foo1",
    "foo10",
    "v01",
  ];
  expect([...expected].reverse().sort(compareVersions)).toEqual(expected);
});
