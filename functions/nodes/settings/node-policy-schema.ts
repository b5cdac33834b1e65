import type { JsonObject } from "../../objects/json.ts";

const text = (description: string): JsonObject => ({ type: "string", description });
const whole = (description: string): JsonObject => ({ type: "integer", format: "int64", description });
const flag = (description: string): JsonObject => ({ type: "boolean", description });
const texts = (description: string): JsonObject => ({
  type: "array",
  items: { type: "string" },
  description,
});

/** `spec` of a NodePolicy as an OpenAPI schema, for clients that ask; `readNodePolicy` is what decides. */
export const NODE_POLICY_SPEC: JsonObject = {
  type: "object",
  description: "How images and containers of nodes are collected.",
  properties: {
    nodeSelector: { type: "object", description: "Which nodes it is for; all of them when it is left out." },
    kubeletConfiguration: {
      type: "object",
      description:
        "A KubeletConfiguration, kubelet.config.k8s.io/v1beta1, whose settings of image collection count.",
      "x-kubernetes-preserve-unknown-fields": true,
    },
    highThresholdPercent: whole("Share of the images' file system from which on images go."),
    lowThresholdPercent: whole("Share of it down to which they go."),
    highThresholdBytes: text("The same in bytes, such as 80Gi; goes with lowThresholdBytes."),
    lowThresholdBytes: text("The same in bytes, such as 60Gi; goes with highThresholdBytes."),
    minAge: text("How old a dead container must be before it goes."),
    maxPerPodContainer: whole("Dead containers that are kept for each container of a Pod."),
    maxContainers: whole("Dead containers that are kept on a node; below zero, as many as there are."),
    restartResetsAge: flag("Whether ages of images begin anew with the kubelet, as upstream."),
    keep: texts("Patterns of images that never go."),
    protect: {
      type: "array",
      description: "Images that do not go before a moment.",
      items: {
        type: "object",
        required: ["image", "until"],
        properties: {
          image: text("A name or pattern."),
          until: { type: "string", format: "date-time", description: "The moment, RFC 3339." },
        },
      },
    },
    registries: { ...texts("Patterns of images that may go; all of them when it is null."), nullable: true },
    reportOnly: flag("Say what would go, and let nothing go."),
    imagePeriod: text("How often images are looked at."),
    containerPeriod: text("How often containers are looked at."),
  },
};
