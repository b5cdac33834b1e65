import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import type { Kind } from "../kind.ts";

/** Where a scalable kind keeps what its `scale` subresource shows. Paths as a definition writes them: `.spec.replicas`. */
export interface ScalePaths {
  readonly replicas: string;
  readonly statusReplicas: string;
  readonly selector?: string;
}

const BUILT_IN: ScalePaths = { replicas: ".spec.replicas", statusReplicas: ".status.replicas" };

const pathsOf = (kind: Kind): ScalePaths =>
  kind.subresources.find(({ name }) => name === "scale")?.paths ?? BUILT_IN;

/** An object's `scale` subresource, `autoscaling/v1`. Source: kubernetes registry/apps (scaleFromDeployment and others). */
export function scaleOf(object: JsonObject, kind: Kind): JsonObject {
  const metadata = isJsonObject(object.metadata) ? object.metadata : {};
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  const paths = pathsOf(kind);
  const selector = paths.selector === undefined ? selectorText(object) : valueAt(object, paths.selector);
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: Object.fromEntries(
      Object.entries({ name, namespace, uid, resourceVersion, creationTimestamp }).filter(
        (field): field is [string, Json] => field[1] !== undefined,
      ),
    ),
    spec: numberField("replicas", valueAt(object, paths.replicas)),
    status: {
      replicas: integerOr0(valueAt(object, paths.statusReplicas)),
      ...(typeof selector === "string" && selector !== "" ? { selector } : {}),
    },
  };
}

/** The object with as many replicas as the scale asks for. */
export function withReplicas(object: JsonObject, replicas: number, kind: Kind): JsonObject {
  const next = structuredClone(object);
  const steps = pathsOf(kind).replicas.split(".").filter(Boolean);
  const last = steps.pop();
  let place = next;
  for (const step of steps) {
    const inner = place[step];
    const found: JsonObject = isJsonObject(inner) ? inner : {};
    place[step] = found;
    place = found;
  }
  if (last !== undefined) place[last] = replicas;
  return next;
}

function valueAt(object: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = object;
  for (const step of path.split(".").filter(Boolean)) value = isJsonObject(value) ? value[step] : undefined;
  return value;
}

const integerOr0 = (value: Json | undefined): number => (typeof value === "number" ? value : 0);

/** Zero replicas are left out, as Go prints them. */
const numberField = (name: string, value: Json | undefined): JsonObject =>
  typeof value === "number" && value !== 0 ? { [name]: value } : {};

/** `spec.selector` as text: a map of labels for ReplicationControllers, `matchLabels` and expressions for others. */
function selectorText({ spec }: JsonObject): string {
  const selector = isJsonObject(spec) && isJsonObject(spec.selector) ? spec.selector : {};
  const structured = "matchLabels" in selector || "matchExpressions" in selector;
  const labels = structured ? (isJsonObject(selector.matchLabels) ? selector.matchLabels : {}) : selector;
  const expressions = Array.isArray(selector.matchExpressions)
    ? selector.matchExpressions.filter(isJsonObject)
    : [];
  const parts = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  for (const { key, operator, values } of expressions) {
    const list = Array.isArray(values) ? values.join(",") : "";
    if (operator === "In") parts.push(`${key} in (${list})`);
    if (operator === "NotIn") parts.push(`${key} notin (${list})`);
    if (operator === "Exists") parts.push(String(key));
    if (operator === "DoesNotExist") parts.push(`!${key}`);
  }
  return parts.sort().join(",");
}
