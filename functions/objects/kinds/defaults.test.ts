import { describe, expect, test } from "vitest";
import type { JsonObject } from "../json.ts";
import type { Kind } from "../kind.ts";
import type { GroupResource } from "../object.ts";
import { customKind } from "./custom-resource.ts";
import { generationChanges, prepareForCreate, prepareForUpdate } from "./defaults.ts";
import { kindRegistry } from "./registry.ts";

function kindOf(store: string): Kind {
  const kind = kindRegistry([]).byStore(store as GroupResource);
  if (!kind) throw new Error(`${store} has no kind`);
  return kind;
}

const widget = (subresources: JsonObject = {}): Kind =>
  customKind({
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget" },
      versions: [{ name: "v1", served: true, storage: true, subresources }],
    },
  });

const template = { spec: { containers: [{ name: "c", image: "nginx" }] } };
const at = (object: JsonObject, path: string): unknown =>
  path.split(".").reduce<unknown>((value, field) => (value as JsonObject | undefined)?.[field], object);

describe("on create", () => {
  test.each<[string, JsonObject, string, unknown]>([
    ["pods", {}, "spec.terminationGracePeriodSeconds", 30],
    ["pods", { spec: { terminationGracePeriodSeconds: 0 } }, "spec.terminationGracePeriodSeconds", 0],
    ["pods", {}, "spec.restartPolicy", "Always"],
    ["pods", {}, "spec.dnsPolicy", "ClusterFirst"],
    ["pods", {}, "spec.schedulerName", "default-scheduler"],
    ["pods", {}, "spec.enableServiceLinks", true],
    ["pods", {}, "spec.securityContext", {}],
    ["pods", template, "spec.containers.0.imagePullPolicy", "Always"],
    ["pods", template, "spec.containers.0.terminationMessagePath", "/dev/termination-log"],
    ["pods", template, "spec.containers.0.terminationMessagePolicy", "File"],
    ["pods", template, "spec.containers.0.resources", {}],
    ["pods", { status: { phase: "Running" } }, "status", { phase: "Pending", qosClass: "BestEffort" }],
    ["namespaces", { metadata: { name: "a" } }, "spec.finalizers", ["kubernetes"]],
    ["namespaces", { spec: { finalizers: ["x/y"] } }, "spec.finalizers", ["x/y", "kubernetes"]],
    ["namespaces", { status: { phase: "Terminating" } }, "status", { phase: "Active" }],
    [
      "namespaces",
      { metadata: { name: "a", labels: { b: "c" } } },
      "metadata.labels",
      { b: "c", "kubernetes.io/metadata.name": "a" },
    ],
    ["persistentvolumeclaims", { status: { phase: "Bound" } }, "status", { phase: "Pending" }],
    ["persistentvolumes", {}, "status", { phase: "Pending" }],
    ["persistentvolumes", {}, "spec.persistentVolumeReclaimPolicy", "Retain"],
    ["nodes", { status: { phase: "Running" } }, "status", { phase: "Running" }],
    ["secrets", {}, "type", "Opaque"],
    ["secrets", { data: { a: "x", b: "y" }, stringData: { b: "é" } }, "data", { a: "x", b: "w6k=" }],
    ["secrets", { stringData: { b: "z" } }, "stringData", undefined],
    ["services", {}, "spec.type", "ClusterIP"],
    ["services", {}, "spec.sessionAffinity", "None"],
    [
      "services",
      { spec: { ports: [{ port: 80 }] } },
      "spec.ports.0",
      { port: 80, protocol: "TCP", targetPort: 80 },
    ],
    ["deployments.apps", {}, "spec.replicas", 1],
    ["deployments.apps", { spec: { replicas: 0 } }, "spec.replicas", 0],
    ["deployments.apps", {}, "spec.revisionHistoryLimit", 10],
    ["deployments.apps", {}, "spec.progressDeadlineSeconds", 600],
    [
      "deployments.apps",
      {},
      "spec.strategy",
      { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
    ],
    ["deployments.apps", { spec: { strategy: { type: "Recreate" } } }, "spec.strategy", { type: "Recreate" }],
    ["deployments.apps", { spec: { template } }, "spec.template.spec.restartPolicy", "Always"],
    ["deployments.apps", { spec: { template } }, "spec.template.spec.enableServiceLinks", undefined],
    ["deployments.apps", { status: { replicas: 3 } }, "status", {}],
    ["replicasets.apps", {}, "spec.replicas", 1],
    ["statefulsets.apps", {}, "spec.podManagementPolicy", "OrderedReady"],
    ["replicationcontrollers", {}, "spec.replicas", 1],
    ["jobs.batch", {}, "spec.completions", 1],
    ["jobs.batch", { spec: { parallelism: 2 } }, "spec.completions", undefined],
    ["jobs.batch", { spec: { completions: 3 } }, "spec.parallelism", 1],
    ["jobs.batch", {}, "spec.backoffLimit", 6],
    ["cronjobs.batch", {}, "spec.concurrencyPolicy", "Allow"],
    ["cronjobs.batch", {}, "spec.suspend", false],
    ["cronjobs.batch", {}, "spec.successfulJobsHistoryLimit", 3],
    ["cronjobs.batch", {}, "spec.failedJobsHistoryLimit", 1],
    [
      "cronjobs.batch",
      { spec: { jobTemplate: { spec: { template } } } },
      "spec.jobTemplate.spec.template.spec.terminationGracePeriodSeconds",
      30,
    ],
    [
      "cronjobs.batch",
      { spec: { jobTemplate: { spec: {} } } },
      "spec.jobTemplate.spec.backoffLimit",
      undefined,
    ],
    ["certificatesigningrequests.certificates.k8s.io", { status: { certificate: "x" } }, "status", {}],
    [
      "certificatesigningrequests.certificates.k8s.io",
      { spec: { username: "root", request: "x" } },
      "spec",
      { request: "x" },
    ],
    ["configmaps", { data: { a: "b" }, status: "kept" }, "status", "kept"],
  ])("%s from %j: %s is %j", (store, object, path, expected) => {
    expect(at(prepareForCreate(object, kindOf(store)), path)).toEqual(expected);
  });

  test.each([
    ["nginx", "Always"],
    ["nginx:latest", "Always"],
    ["nginx:1.27", "IfNotPresent"],
    ["registry:5000/nginx", "Always"],
    ["registry:5000/nginx:1", "IfNotPresent"],
    ["nginx@sha256:abc", "IfNotPresent"],
  ])("image %s is pulled %s", (image, policy) => {
    const pod = prepareForCreate({ spec: { containers: [{ image }] } }, kindOf("pods"));
    expect(at(pod, "spec.containers.0.imagePullPolicy")).toBe(policy);
  });

  test.each<[string, JsonObject[]]>([
    ["BestEffort", [{}]],
    ["BestEffort", [{ limits: { cpu: "0" } }]],
    ["Burstable", [{ requests: { cpu: "1" } }]],
    ["Burstable", [{ limits: { cpu: "1", memory: "1Gi" } }, {}]],
    ["Burstable", [{ limits: { cpu: "2", memory: "1Gi" }, requests: { cpu: "1" } }]],
    ["Guaranteed", [{ limits: { cpu: "1", memory: "1Gi" } }]],
    ["Guaranteed", [{ limits: { cpu: 1, memory: "1Gi" }, requests: { cpu: "1", memory: "1Gi" } }]],
  ])("a pod is %s with %j", (expected, resources) => {
    const containers = resources.map((amounts) => ({ resources: amounts }));
    const pod = prepareForCreate({ spec: { containers } }, kindOf("pods"));
    expect(at(pod, "status.qosClass")).toBe(expected);
  });

  test("a custom resource loses its status only when that is a subresource", () => {
    const object = { spec: {}, status: { ready: true } };
    expect(prepareForCreate(object, widget())).toEqual(object);
    expect(prepareForCreate(object, widget({ status: {} }))).toEqual({ spec: {} });
  });

  test("does not change its input, and a second pass changes nothing", () => {
    for (const kind of kindRegistry([]).all()) {
      const input: JsonObject = { metadata: { name: "a" }, spec: { template, containers: [{ name: "c" }] } };
      const copy = structuredClone(input);
      const once = prepareForCreate(input, kind);
      expect(input).toEqual(copy);
      expect(prepareForCreate(once, kind)).toEqual(once);
      expect(prepareForUpdate(once, once, kind, undefined)).toEqual(once);
    }
  });
});

describe("on update", () => {
  const meta = (more: JsonObject = {}): JsonObject => ({
    name: "a",
    uid: "u",
    resourceVersion: "7",
    ...more,
  });

  test("the object's own update keeps the stored status and fills in defaults", () => {
    const stored = { metadata: meta(), spec: { replicas: 3 }, status: { replicas: 3 } };
    const next = { metadata: meta({ labels: { a: "b" } }), spec: {}, status: { replicas: 9 } };
    const prepared = prepareForUpdate(next, stored, kindOf("deployments.apps"), undefined);
    expect(prepared).toMatchObject({
      metadata: next.metadata,
      spec: { replicas: 1 },
      status: { replicas: 3 },
    });
  });

  test("without a stored status there is none afterwards", () => {
    const next = { metadata: meta(), status: { ready: true } };
    const kind = widget({ status: {} });
    expect(prepareForUpdate(next, { metadata: meta() }, kind, undefined)).toEqual({ metadata: meta() });
    expect(prepareForUpdate(next, { metadata: meta() }, widget(), undefined)).toEqual(next);
  });

  test("a status update keeps the spec and takes status and metadata", () => {
    const stored = { metadata: meta(), spec: { a: 1 }, status: { b: 1 } };
    const next = {
      metadata: meta({ finalizers: ["x/y"], labels: { l: "m" } }),
      spec: { a: 2 },
      status: { b: 2 },
    };
    expect(prepareForUpdate(next, stored, kindOf("jobs.batch"), "status")).toEqual({
      ...next,
      spec: { a: 1 },
    });
  });

  test("pods/status leaves owner references and the QoS class alone", () => {
    const references = [{ apiVersion: "v1", kind: "Node", name: "n", uid: "o" }];
    const stored = { metadata: meta({ ownerReferences: references }), status: { qosClass: "Burstable" } };
    const next = {
      metadata: meta({ ownerReferences: [], labels: { l: "m" } }),
      status: { phase: "Running" },
    };
    expect(prepareForUpdate(next, stored, kindOf("pods"), "status")).toEqual({
      metadata: meta({ ownerReferences: references, labels: { l: "m" } }),
      status: { phase: "Running", qosClass: "Burstable" },
    });
  });

  test("deployments/status leaves labels alone", () => {
    const stored = { metadata: meta({ labels: { a: "b" } }), spec: {} };
    const next = { metadata: meta({ annotations: { c: "d" } }), spec: {}, status: {} };
    expect(prepareForUpdate(next, stored, kindOf("deployments.apps"), "status").metadata).toEqual(
      meta({ labels: { a: "b" }, annotations: { c: "d" } }),
    );
  });

  test.each([
    ["widgets"],
    ["customresourcedefinitions.apiextensions.k8s.io"],
    ["volumeattachments.storage.k8s.io"],
  ])("the status of %s leaves all metadata alone but what identifies the object", (store) => {
    const kind = store === "widgets" ? widget({ status: {} }) : kindOf(store);
    const stored = { metadata: meta({ finalizers: ["x/y"], labels: { a: "b" } }), spec: { a: 1 }, data: 1 };
    const next = {
      metadata: { ...meta({ finalizers: [] }), resourceVersion: "6" },
      spec: { a: 2 },
      data: 2,
      status: { b: 2 },
    };
    expect(prepareForUpdate(next, stored, kind, "status")).toEqual({
      metadata: { ...stored.metadata, resourceVersion: "6" },
      spec: { a: 1 },
      data: 1,
      status: { b: 2 },
    });
  });

  test("only finalize changes a namespace's spec, and it changes no status", () => {
    const stored = {
      metadata: meta(),
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Terminating" },
    };
    const next = { metadata: meta(), spec: { finalizers: [] }, status: { phase: "Active" } };
    const namespaces = kindOf("namespaces");
    const finalizersAfter = (subresource: "status" | "finalize" | undefined) =>
      at(prepareForUpdate(next, stored, namespaces, subresource), "spec.finalizers");
    expect(finalizersAfter(undefined)).toEqual(["kubernetes"]);
    expect(finalizersAfter("status")).toEqual(["kubernetes"]);
    expect(finalizersAfter("finalize")).toEqual([]);
    expect(prepareForUpdate(next, stored, namespaces, "finalize").status).toEqual({ phase: "Terminating" });
    expect(prepareForUpdate(next, stored, namespaces, "status").status).toEqual({ phase: "Active" });
  });

  describe("a CertificateSigningRequest", () => {
    const kind = kindOf("certificatesigningrequests.certificates.k8s.io");
    const approved = { type: "Approved", status: "True", lastUpdateTime: "2025-01-01T00:00:00Z" };
    const failed = { type: "Failed", status: "True" };
    const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
    const stored = {
      metadata: meta(),
      spec: { request: "x" },
      status: { certificate: "old", conditions: [approved] },
    };

    test("never changes its request", () => {
      const next = { ...stored, spec: { request: "y" } };
      for (const part of [undefined, "status", "approval"] as const) {
        expect(prepareForUpdate(next, stored, kind, part).spec).toEqual({ request: "x" });
      }
    });

    test("is approved through approval alone, which changes nothing else", () => {
      const next = { ...stored, status: { certificate: "new", conditions: [failed] } };
      expect(prepareForUpdate(next, stored, kind, "approval", NOW).status).toEqual({
        certificate: "old",
        conditions: [
          { ...failed, lastUpdateTime: "2026-01-02T03:04:05Z", lastTransitionTime: "2026-01-02T03:04:05Z" },
        ],
      });
      expect(prepareForUpdate(next, stored, kind, "status").status).toEqual({
        certificate: "new",
        conditions: [approved, failed],
      });
      expect(prepareForUpdate(next, stored, kind, undefined).status).toEqual(stored.status);
    });
  });
});

describe("a new generation", () => {
  const base: JsonObject = { apiVersion: "x/v1", metadata: { name: "a" }, spec: { a: 1 }, status: { b: 1 } };

  test.each<[string, JsonObject, boolean]>([
    ["deployments.apps", { spec: { a: 2 } }, true],
    ["deployments.apps", { metadata: { annotations: { a: "b" } } }, true],
    ["deployments.apps", { metadata: { labels: { a: "b" } } }, false],
    ["deployments.apps", { status: { b: 2 } }, false],
    ["replicasets.apps", { metadata: { annotations: { a: "b" } } }, false],
    ["endpointslices.discovery.k8s.io", { endpoints: [] }, true],
    ["endpointslices.discovery.k8s.io", { metadata: { labels: { a: "b" } } }, true],
    ["endpointslices.discovery.k8s.io", { metadata: { annotations: { a: "b" } } }, false],
    ["mutatingwebhookconfigurations.admissionregistration.k8s.io", { webhooks: [{}] }, true],
    ["priorityclasses.scheduling.k8s.io", { description: "x" }, false],
    ["podtemplates", { template: {} }, true],
    ["configmaps", { data: { a: "b" } }, false],
    ["services", { spec: { a: 2 } }, false],
  ])("%s changed by %j: %s", (store, change, expected) => {
    expect(generationChanges({ ...base, ...change }, base, kindOf(store))).toBe(expected);
  });

  test.each<[string, JsonObject, boolean, boolean]>([
    ["spec", { spec: { a: 2 } }, true, true],
    ["any other field", { data: 1 }, true, true],
    ["status", { status: { b: 2 } }, true, false],
    ["metadata", { metadata: { labels: { a: "b" } } }, false, false],
    ["the API version", { apiVersion: "x/v2" }, false, false],
  ])("a custom resource's %s", (_, change, plain, withStatus) => {
    const next = { ...base, ...change };
    expect(generationChanges(next, base, widget())).toBe(plain);
    expect(generationChanges(next, base, widget({ status: {} }))).toBe(withStatus);
  });

  test("never comes from a status update", () => {
    const next = { ...base, metadata: { annotations: { a: "b" } } };
    expect(generationChanges(next, base, kindOf("deployments.apps"), "status")).toBe(false);
  });
});

describe("the selector of a Job", () => {
  const made = (spec: JsonObject): JsonObject =>
    prepareForCreate({ metadata: { name: "sum", uid: "u1" }, spec }, kindOf("jobs.batch"));

  test("is the Job's uid, and its template has the labels", () => {
    expect(made({ template: { metadata: { labels: { mine: "x" } }, spec: {} } }).spec).toMatchObject({
      selector: { matchLabels: { "batch.kubernetes.io/controller-uid": "u1" } },
      template: {
        metadata: {
          labels: {
            mine: "x",
            "controller-uid": "u1",
            "job-name": "sum",
            "batch.kubernetes.io/controller-uid": "u1",
            "batch.kubernetes.io/job-name": "sum",
          },
        },
      },
    });
  });

  test("is left to its author who wants it so", () => {
    const spec = { manualSelector: true, selector: { matchLabels: { a: "b" } }, template: { spec: {} } };
    expect(made(spec).spec).toMatchObject({ selector: { matchLabels: { a: "b" } } });
    expect((made(spec).spec as JsonObject).template).not.toHaveProperty("metadata.labels");
  });
});
