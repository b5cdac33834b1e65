import { describe, expect, test } from "vitest";
import type { Kind } from "../kind.ts";
import { kindRegistry } from "../kinds/registry.ts";
import type { KubeObject } from "../object.ts";
import { exactName, exactNamespace, matchesFields, parseFieldSelector } from "./field-selector.ts";

const registry = kindRegistry([]);

function kind(path: string): Kind {
  const [group = "", version = "", resource = ""] = path.split("/");
  const found = registry.served(group, version, resource);
  if (found === undefined) throw new Error(`no kind at ${path}`);
  return found;
}

const pods = kind("/v1/pods");
const configmaps = kind("/v1/configmaps");
const custom = (namespaced: boolean): Kind => ({
  ...configmaps,
  group: "example.com",
  namespaced,
  traits: { ...configmaps.traits, custom: true },
});

const object = (fields: object): KubeObject => ({
  apiVersion: "v1",
  kind: "X",
  ...fields,
  metadata: { name: "a", namespace: "ns", uid: "u", creationTimestamp: "2026-01-01T00:00:00Z" },
});

describe("parseFieldSelector", () => {
  test.each<[text: string, requirements: [string, string, string][]]>([
    ["", []],
    ["metadata.name=a", [["metadata.name", "=", "a"]]],
    ["metadata.name==a", [["metadata.name", "=", "a"]]],
    ["metadata.name!=a", [["metadata.name", "!=", "a"]]],
    ["metadata.name=", [["metadata.name", "=", ""]]],
    ["metadata.name=a,,", [["metadata.name", "=", "a"]]],
    [
      "status.phase=Running,metadata.namespace!=b",
      [
        ["metadata.namespace", "!=", "b"],
        ["status.phase", "=", "Running"],
      ],
    ],
    ["metadata.name=a\\,b\\=c\\\\d", [["metadata.name", "=", "a,b=c\\d"]]],
    ["spec.host=n1", [["spec.nodeName", "=", "n1"]]],
  ])("reads %j", (text, requirements) => {
    expect(parseFieldSelector(text, pods)).toEqual({
      ok: true,
      value: requirements.map(([field, operator, value]) => ({ field, operator, value })),
    });
  });

  test.each<[text: string, of: Kind, message: string]>([
    [
      "spec.x=1",
      configmaps,
      '"spec.x" is not a known field selector: only "metadata.name", "metadata.namespace"',
    ],
    ["spec.x=1", pods, "field label not supported: spec.x"],
    ["spec.x=1", kind("batch/v1/jobs"), 'field label "spec.x" not supported for Job'],
    [
      "spec.x=1",
      kind("apps/v1/replicasets"),
      '"spec.x" is not a known field selector: only "metadata.name", "metadata.namespace"',
    ],
    ["spec.x=1", custom(true), "field label not supported: spec.x"],
    ["metadata.namespace=a", custom(false), "field label not supported: metadata.namespace"],
    ["metadata.namespace=a", kind("/v1/nodes"), "field label not supported: metadata.namespace"],
    ["regarding.name=a", kind("/v1/events"), "field label not supported: regarding.name"],
    ["metadata.name", pods, "invalid selector: 'metadata.name'; can't understand 'metadata.name'"],
    ["metadata.name=a,b", pods, "invalid selector: 'metadata.name=a,b'; can't understand 'b'"],
    ["metadata.name=a=b", pods, "invalid field selector: unescaped character in value: 61"],
    ["metadata.name=a\\b", pods, "invalid field selector: invalid escape sequence: \\b"],
    ["metadata.name=a\\", pods, "invalid field selector: invalid escape sequence: \\"],
  ])("refuses %j", (text, of, message) => {
    expect(parseFieldSelector(text, of)).toEqual({ ok: false, failure: { reason: "BadRequest", message } });
  });
});

describe("matchesFields", () => {
  const pod = {
    spec: { nodeName: "n1", restartPolicy: "Never", schedulerName: "s", serviceAccountName: "sa" },
    status: { phase: "Running", podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }] },
  };
  const coreEvent = {
    involvedObject: { kind: "Pod", name: "p", uid: "1", fieldPath: "spec" },
    reason: "Killing",
    source: { component: "kubelet" },
    type: "Normal",
  };
  const newEvent = {
    regarding: { kind: "Pod", name: "p" },
    reportingController: "gc",
    reason: "Killing",
    type: "Warning",
  };

  test.each<[path: string, text: string, fields: object, matches: boolean]>([
    ["/v1/configmaps", "metadata.name=a", {}, true],
    ["/v1/configmaps", "metadata.name!=a", {}, false],
    ["/v1/configmaps", "metadata.namespace=ns,metadata.name=b", {}, false],
    ["/v1/pods", "spec.nodeName=n1", pod, true],
    ["/v1/pods", "spec.nodeName=", {}, true],
    ["/v1/pods", "spec.restartPolicy=Never", pod, true],
    ["/v1/pods", "spec.schedulerName=s,spec.serviceAccountName=sa", pod, true],
    ["/v1/pods", "spec.hostNetwork=false", pod, true],
    ["/v1/pods", "spec.hostNetwork=true", { spec: { hostNetwork: true } }, true],
    ["/v1/pods", "status.phase!=Running", pod, false],
    ["/v1/pods", "status.podIP=10.0.0.1", pod, true],
    ["/v1/pods", "status.podIPs=10.0.0.1", pod, false],
    ["/v1/pods", "status.nominatedNodeName=", pod, true],
    ["/v1/events", "involvedObject.kind=Pod,involvedObject.name=p,involvedObject.uid=1", coreEvent, true],
    ["/v1/events", "involvedObject.fieldPath=spec", coreEvent, true],
    ["/v1/events", "involvedObject.name=p,reportingComponent=gc,source=gc", newEvent, true],
    ["/v1/events", "reason=Killing,source=kubelet,type=Normal", coreEvent, true],
    ["/v1/events", "reason=Created", coreEvent, false],
    ["events.k8s.io/v1/events", "regarding.name=p,reportingController=gc", newEvent, true],
    ["events.k8s.io/v1/events", "regarding.name=p,involvedObject.kind=Pod", coreEvent, true],
    ["/v1/secrets", "type=Opaque", { type: "Opaque" }, true],
    ["/v1/services", "spec.clusterIP=None", { spec: { clusterIP: "None" } }, true],
    ["/v1/services", "spec.type!=NodePort", { spec: { type: "ClusterIP" } }, true],
    ["/v1/namespaces", "status.phase=Terminating", { status: { phase: "Terminating" } }, true],
    ["/v1/nodes", "spec.unschedulable=true", { spec: { unschedulable: true } }, true],
    ["/v1/nodes", "spec.unschedulable=false", {}, true],
    ["/v1/replicationcontrollers", "status.replicas=0", {}, true],
    ["apps/v1/replicasets", "status.replicas=2", { status: { replicas: 2 } }, true],
    ["batch/v1/jobs", "status.successful=1", { status: { succeeded: 1 } }, true],
    ["batch/v1/jobs", "status.successful!=0", {}, false],
    [
      "certificates.k8s.io/v1/certificatesigningrequests",
      "spec.signerName=example.com/s",
      { spec: { signerName: "example.com/s" } },
      true,
    ],
  ])("%s with %j", (path, text, fields, matches) => {
    const parsed = parseFieldSelector(text, kind(path));
    expect(parsed).toMatchObject({ ok: true });
    expect(parsed.ok && matchesFields(parsed.value, object(fields), kind(path))).toBe(matches);
  });
});

describe("a requirement that makes a list a look-up", () => {
  test.each<[text: string, name: string | undefined, namespace: string | undefined]>([
    ["", undefined, undefined],
    ["metadata.name=a", "a", undefined],
    ["metadata.name!=a", undefined, undefined],
    ["metadata.name=a,metadata.namespace=b", "a", "b"],
    ["status.phase=Running,metadata.namespace==b", undefined, "b"],
  ])("%j: name %j, namespace %j", (text, name, namespace) => {
    const parsed = parseFieldSelector(text, pods);
    const requirements = parsed.ok ? parsed.value : [];
    expect(exactName(requirements)).toBe(name);
    expect(exactNamespace(requirements)).toBe(namespace);
  });
});
