import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { withAbsent } from "./fields.ts";

const POD_SPEC: JsonObject = {
  restartPolicy: "Always",
  dnsPolicy: "ClusterFirst",
  schedulerName: "default-scheduler",
  securityContext: {},
  terminationGracePeriodSeconds: 30,
};

const CONTAINER: JsonObject = {
  resources: {},
  terminationMessagePath: "/dev/termination-log",
  terminationMessagePolicy: "File",
};

const CONTAINER_LISTS = ["initContainers", "containers"] as const;

/** A pod's own spec, and that of a template, get the same defaults but for what only a pod has. */
function podSpecDefaults(spec: JsonObject): JsonObject {
  const next = withAbsent(spec, POD_SPEC);
  for (const field of CONTAINER_LISTS) {
    const containers = next[field];
    if (Array.isArray(containers)) {
      next[field] = containers.map((item) => (isJsonObject(item) ? containerDefaults(item) : item));
    }
  }
  return next;
}

export function podDefaults(pod: JsonObject): JsonObject {
  const spec = podSpecDefaults(isJsonObject(pod.spec) ? pod.spec : {});
  return { ...pod, spec: withAbsent(spec, { enableServiceLinks: true }) };
}

/** `object[field]`, a pod template, with its defaults; anything else stays as it is. */
export function templateDefaults(object: JsonObject, field = "template"): JsonObject {
  const template = object[field];
  if (!isJsonObject(template)) return object;
  const spec = podSpecDefaults(isJsonObject(template.spec) ? template.spec : {});
  return { ...object, [field]: { ...template, spec } };
}

function containerDefaults(container: JsonObject): JsonObject {
  return withAbsent(container, { ...CONTAINER, imagePullPolicy: pullPolicy(container.image) });
}

/** An image without a tag, or tagged `latest`, may change under its name. */
function pullPolicy(image: Json | undefined): string {
  if (typeof image !== "string") return "IfNotPresent";
  if (image.includes("@")) return "IfNotPresent";
  const tag = /:([^:/]+)$/.exec(image)?.[1];
  return tag === undefined || tag === "latest" ? "Always" : "IfNotPresent";
}

const COUNTED = ["cpu", "memory"] as const;

/**
 * Guaranteed when every container limits cpu and memory and requests no less, BestEffort when none names either.
 * Quantities are compared as they are written, a request that is not given equals its limit.
 */
export function qosClass(pod: JsonObject): "Guaranteed" | "Burstable" | "BestEffort" {
  const spec = isJsonObject(pod.spec) ? pod.spec : {};
  const resources = CONTAINER_LISTS.flatMap((field) => {
    const containers = spec[field];
    return Array.isArray(containers) ? containers : [];
  }).map((container) =>
    isJsonObject(container) && isJsonObject(container.resources) ? container.resources : {},
  );
  const amounts = resources.flatMap((resource) =>
    COUNTED.map((name) => {
      const limit = quantity(resource.limits, name);
      return { limit, request: quantity(resource.requests, name) ?? limit };
    }),
  );
  if (amounts.every(({ request }) => request === undefined)) return "BestEffort";
  return amounts.every(({ limit, request }) => limit !== undefined && limit === request)
    ? "Guaranteed"
    : "Burstable";
}

function quantity(amounts: Json | undefined, name: string): string | undefined {
  const value = isJsonObject(amounts) ? amounts[name] : undefined;
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  return Number.parseFloat(String(value)) === 0 ? undefined : String(value);
}
