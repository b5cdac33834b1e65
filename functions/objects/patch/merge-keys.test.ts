import { expect, test } from "vitest";
import type { Json, JsonObject } from "../json.ts";
import { mergeRulesOf } from "./merge-keys.ts";
import { strategicMerge } from "./strategic-merge.ts";

/** `at("a.b", x)` is `{ a: { b: x } }`; a segment in brackets is a list with one item of that name. */
const at = (path: string, value: Json): JsonObject =>
  path.split(".").reduceRight<Json>((inner, segment) => {
    const list = /^(.*)\[\]$/.exec(segment)?.[1];
    return list ? { [list]: [{ name: "c", ...(inner as JsonObject) }] } : { [segment]: inner };
  }, value) as JsonObject;

const merges = (kind: string, path: string, before: Json, after: Json): boolean => {
  const outcome = strategicMerge(at(path, [before]), at(path, [after]), mergeRulesOf(kind));
  return outcome.ok && JSON.stringify(outcome.value) === JSON.stringify(at(path, [after, before]));
};

test.each([
  ["Secret", "metadata.ownerReferences", "uid"],
  ["Pod", "spec.containers", "name"],
  ["Pod", "spec.containers[].env", "name"],
  ["Pod", "spec.containers[].ports", "containerPort"],
  ["Pod", "spec.initContainers[].volumeMounts", "mountPath"],
  ["Pod", "spec.ephemeralContainers[].volumeDevices", "devicePath"],
  ["Pod", "spec.volumes", "name"],
  ["Pod", "spec.imagePullSecrets", "name"],
  ["Pod", "spec.hostAliases", "ip"],
  ["Pod", "spec.topologySpreadConstraints", "topologyKey"],
  ["Pod", "spec.schedulingGates", "name"],
  ["Pod", "status.conditions", "type"],
  ["Pod", "status.podIPs", "ip"],
  ["PodTemplate", "template.spec.containers", "name"],
  ["ReplicationController", "spec.template.spec.containers", "name"],
  ["ReplicaSet", "spec.template.metadata.ownerReferences", "uid"],
  ["Deployment", "spec.template.spec.containers[].env", "name"],
  ["StatefulSet", "spec.template.spec.volumes", "name"],
  ["DaemonSet", "status.conditions", "type"],
  ["Job", "spec.template.spec.containers", "name"],
  ["CronJob", "spec.jobTemplate.spec.template.spec.containers", "name"],
  ["Service", "spec.ports", "port"],
  ["ServiceAccount", "secrets", "name"],
  ["Node", "status.addresses", "type"],
  ["Node", "status.conditions", "type"],
  ["Namespace", "status.conditions", "type"],
  ["PersistentVolumeClaim", "status.conditions", "type"],
  ["CSINode", "spec.drivers", "name"],
  ["MutatingWebhookConfiguration", "webhooks", "name"],
  ["ValidatingWebhookConfiguration", "webhooks[].matchConditions", "name"],
  ["ValidatingAdmissionPolicy", "spec.variables", "name"],
  ["APIService", "status.conditions", "type"],
])("%s: %s merges by %s", (kind, path, key) => {
  expect(merges(kind, path, { [key]: "old" }, { [key]: "new" })).toBe(true);
});

test.each([
  ["Node", "spec.podCIDRs"],
  ["Secret", "metadata.finalizers"],
])("%s: %s merges as a set", (kind, path) => {
  expect(merges(kind, path, "old", "new")).toBe(true);
});

test.each([
  ["Secret", "metadata.managedFields"],
  ["Pod", "spec.tolerations"],
  ["Pod", "spec.readinessGates"],
  ["Pod", "spec.containers[].envFrom"],
  ["Pod", "status.containerStatuses"],
  ["Node", "spec.taints"],
  ["StatefulSet", "spec.volumeClaimTemplates"],
  ["ServiceAccount", "imagePullSecrets"],
  ["Service", "status.loadBalancer.ingress"],
  ["Ingress", "spec.rules"],
  ["HorizontalPodAutoscaler", "spec.metrics"],
  ["CertificateSigningRequest", "status.conditions"],
  ["CustomResourceDefinition", "spec.versions"],
])("%s: %s is replaced as a whole", (kind, path) => {
  const outcome = strategicMerge(at(path, [{ a: 1 }]), at(path, [{ b: 2 }]), mergeRulesOf(kind));
  expect(outcome).toEqual({ ok: true, value: at(path, [{ b: 2 }]) });
});
