import { describe, expect, test } from "vitest";
import { isJsonObject, type Json } from "../json.ts";
import { apiVersion } from "../kind.ts";
import { builtInKinds } from "../kinds/built-in.ts";
import { KUBEGC } from "../kinds/kubegc.ts";
import { contentFault, describeContentFault } from "./content-faults.ts";
import { contentType } from "./content-types.ts";

/** `apps/v1.Deployment`; the text is read as a request's is. */
function faultOf(type: string, text: string): string | undefined {
  const at = type.lastIndexOf(".");
  const [version = "", group = ""] = type.slice(0, at).split("/").reverse();
  const content = contentType({ group, version, kind: type.slice(at + 1), custom: false });
  const object = JSON.parse(text) as Json;
  if (content === undefined || !isJsonObject(object)) throw new Error(`nothing is known of ${type}`);
  const fault = contentFault(object, content);
  return fault && describeContentFault(fault, text);
}

const pod = (spec: string): [string, string] => ["v1.Pod", `{"spec":${spec}}`];
const container = (fields: string) => pod(`{"containers":[{"name":"a"},${fields}]}`);
const schema = (fields: string): [string, string] => [
  "apiextensions.k8s.io/v1.CustomResourceDefinition",
  `{"spec":{"versions":[{"schema":{"openAPIV3Schema":${fields}}}]}}`,
];
const MISFIT = "json: cannot unmarshal";

test.each<[[type: string, text: string], message: string]>([
  [
    ["apps/v1.Deployment", '{"spec":{"replicas":"3"}}'],
    `${MISFIT} string into Go struct field DeploymentSpec.spec.replicas of type int32`,
  ],
  [
    ["apps/v1.Deployment", '{"spec":{"replicas":1.5}}'],
    `${MISFIT} number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32`,
  ],
  [
    ["apps/v1.Deployment", '{"spec":{"replicas": 3000000000 }}'],
    `${MISFIT} number 3000000000 into Go struct field DeploymentSpec.spec.replicas of type int32`,
  ],
  [
    ["apps/v1.Deployment", '{"status":{"observedGeneration":1e30}}'],
    `${MISFIT} number 1e30 into Go struct field DeploymentStatus.status.observedGeneration of type int64`,
  ],
  [
    ["apps/v1.Deployment", '{"spec":[]}'],
    `${MISFIT} array into Go struct field Deployment.spec of type v1.DeploymentSpec`,
  ],
  [
    ["apps/v1.Deployment", '{"spec":{"template":{"spec":{"containers":[{"env":[{"value":true}]}]}}}}'],
    `${MISFIT} bool into Go struct field EnvVar.spec.template.spec.containers.env.value of type string`,
  ],
  [
    ["apps/v1.Deployment", '{"spec":{"selector":{"matchLabels":{"app":5}}}}'],
    `${MISFIT} number into Go struct field LabelSelector.spec.selector.matchLabels of type string`,
  ],
  [
    ["apps/v1.Deployment", '{"spec":{"template":{"metadata":{"labels":["a"]}}}}'],
    `${MISFIT} array into Go struct field ObjectMeta.spec.template.metadata.labels of type map[string]string`,
  ],
  [
    ["apps/v1.Deployment", '{"spec":{"strategy":{"rollingUpdate":{"maxSurge":true}}}}'],
    `${MISFIT} bool into Go struct field RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge of type int32`,
  ],
  [
    pod('{"containers":{}}'),
    `${MISFIT} object into Go struct field PodSpec.spec.containers of type []v1.Container`,
  ],
  [
    container('"nginx"'),
    `${MISFIT} string into Go struct field PodSpec.spec.containers of type v1.Container`,
  ],
  [
    container('{"command":"sh"}'),
    `${MISFIT} string into Go struct field Container.spec.containers.command of type []string`,
  ],
  [
    container('{"command":["sleep",5]}'),
    `${MISFIT} number into Go struct field Container.spec.containers.command of type string`,
  ],
  [
    container('{"tty":"yes"}'),
    `${MISFIT} string into Go struct field Container.spec.containers.tty of type bool`,
  ],
  [
    container('{"imagePullPolicy":1}'),
    `${MISFIT} number into Go struct field Container.spec.containers.imagePullPolicy of type v1.PullPolicy`,
  ],
  [
    container('{"ports":[{"containerPort":"80"}]}'),
    `${MISFIT} string into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32`,
  ],
  [
    container('{"livenessProbe":{"httpGet":{"port":8080.5}}}'),
    `${MISFIT} number 8080.5 into Go struct field HTTPGetAction.spec.containers.livenessProbe.httpGet.port of type int32`,
  ],
  [
    container('{"resources":{"limits":["cpu"]}}'),
    `${MISFIT} array into Go struct field ResourceRequirements.spec.containers.resources.limits of type v1.ResourceList`,
  ],
  [
    container('{"resources":{"limits":{"cpu":"much"}}}'),
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  ],
  [
    container('{"resources":{"limits":{"cpu":true}}}'),
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  ],
  [
    container('{"resources":{"limits":{"cpu":"1KiB"}}}'),
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  ],
  [container('{"resources":{"limits":{"cpu":"1ki"}}}'), "unable to parse quantity's suffix"],
  [
    pod('{"volumes":[{"name":"v","hostPath":"/tmp"}]}'),
    `${MISFIT} string into Go struct field Volume.spec.volumes.hostPath of type v1.HostPathVolumeSource`,
  ],
  [
    pod('{"securityContext":{"supplementalGroups":[1,"2"]}}'),
    `${MISFIT} string into Go struct field PodSecurityContext.spec.securityContext.supplementalGroups of type int64`,
  ],
  [
    pod('{"tolerations":[{"tolerationSeconds":"60"}]}'),
    `${MISFIT} string into Go struct field Toleration.spec.tolerations.tolerationSeconds of type int64`,
  ],
  [
    pod('{"ephemeralContainers":[{"imagePullPolicy":1}]}'),
    `${MISFIT} number into Go struct field EphemeralContainer.spec.ephemeralContainers.imagePullPolicy of type v1.PullPolicy`,
  ],
  [
    ["v1.Pod", '{"status":{"startTime":"today"}}'],
    'parsing time "today" as "2006-01-02T15:04:05Z07:00": cannot parse "today" as "2006"',
  ],
  [
    ["v1.Pod", '{"status":{"conditions":[{"lastTransitionTime":5}]}}'],
    `${MISFIT} number into Go struct field PodCondition.status.conditions.lastTransitionTime of type string`,
  ],
  [
    ["v1.Service", '{"spec":{"ports":[{"targetPort":{}}]}}'],
    `${MISFIT} object into Go struct field ServicePort.spec.ports.targetPort of type int32`,
  ],
  [
    ["v1.Service", '{"spec":{"type":"ClusterIP","selector":{"a":null,"b":false}}}'],
    `${MISFIT} bool into Go struct field ServiceSpec.spec.selector of type string`,
  ],
  [
    ["v1.ResourceQuota", '{"spec":{"scopes":[1]}}'],
    `${MISFIT} number into Go struct field ResourceQuotaSpec.spec.scopes of type v1.ResourceQuotaScope`,
  ],
  [
    ["v1.ResourceQuota", '{"spec":{"scopes":"BestEffort"}}'],
    `${MISFIT} string into Go struct field ResourceQuotaSpec.spec.scopes of type []v1.ResourceQuotaScope`,
  ],
  [
    ["coordination.k8s.io/v1.Lease", '{"spec":{"renewTime":"2020-01-01T00:00:00Z"}}'],
    'parsing time "2020-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
  ],
  [
    ["policy/v1beta1.PodDisruptionBudget", '{"status":{"disruptedPods":[]}}'],
    `${MISFIT} array into Go struct field PodDisruptionBudgetStatus.status.disruptedPods of type map[string]v1.Time`,
  ],
  [
    [
      "apiextensions.k8s.io/v1.CustomResourceDefinition",
      '{"spec":{"conversion":{"webhook":{"clientConfig":{"caBundle":"YQ"}}}}}',
    ],
    "illegal base64 data at input byte 0",
  ],
  [schema('{"additionalProperties":"no"}'), "boolean or JSON schema expected"],
  [
    schema('{"properties":{"a":{"items":{"minimum":"1"}}}}'),
    `${MISFIT} string into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.items of type float64`,
  ],
  [
    schema('{"enum":{}}'),
    `${MISFIT} object into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.enum of type []v1.JSON`,
  ],
])("%j", ([type, text], message) => {
  expect(faultOf(type, text)).toBe(message);
});

describe("is accepted:", () => {
  test.each<[type: string, text: string]>([
    [
      "apps/v1.Deployment",
      '{"spec":{"replicas":null,"selector":null,"template":{"metadata":null}},"status":null}',
    ],
    ["apps/v1.Deployment", '{"spec":{"colour":5,"template":{"spec":{"containers":[null,{"env":[null]}]}}}}'],
    ["apps/v1.Deployment", '{"spec":{"strategy":{"rollingUpdate":{"maxSurge":"25%","maxUnavailable":1}}}}'],
    ["apps/v1.Deployment", '{"spec":{"replicas":-2147483648},"status":{"observedGeneration":5000000000}}'],
    container('{"resources":{"limits":{"cpu":1.5,"memory":"1.5Gi","a":"1e3","b":"-5m","c":"Gi","d":null}}}'),
    pod('{"nodeSelector":{"a":null},"containers":[{"command":[null]}]}'),
    ["v1.Pod", '{"status":{"startTime":"2020-01-01T00:00:00.5+01:00"}}'],
    ["coordination.k8s.io/v1.Lease", '{"spec":{"renewTime":"2020-01-01T00:00:00.123456Z"}}'],
    ["apps/v1.ControllerRevision", '{"data":[1,"any"],"revision":1}'],
    schema('{"default":[1],"enum":["a",1],"maximum":1.5,"items":[{"type":"string"}]}'),
    schema(
      '{"additionalProperties":false,"items":{"type":"string"},"dependencies":{"a":["b"]},"nullable":null}',
    ),
    ["certificates.k8s.io/v1.CertificateSigningRequest", '{"spec":{"request":"YQ==","extra":{"a":["b"]}}}'],
  ])("%s %s", (type, text) => {
    expect(faultOf(type, text)).toBeUndefined();
  });
});

test("what is read in another place is left to it", () => {
  expect(faultOf("v1.ConfigMap", '{"metadata":5,"data":{"a":5}}')).toBeUndefined();
});

test("every served built-in kind has its types, but for those of our own", () => {
  const without = builtInKinds.flatMap(({ group, kind, versions }) =>
    versions
      .filter((version) => contentType({ group, version, kind, custom: false }) === undefined)
      .map((version) => `${apiVersion(group, version)} ${kind}`),
  );
  expect(without.filter((name) => !name.startsWith(KUBEGC))).toEqual([]);
});
