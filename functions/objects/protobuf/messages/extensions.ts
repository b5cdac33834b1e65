import type { MessageTable } from "../message-table.ts";

/** The messages of `extensions`, as Kubernetes 1.33.1 has them. */
export const extensionsMessages: MessageTable = {
  "extensions/v1beta1": {
    HTTPIngressPath: { 1: "path string", 2: "backend IngressBackend!", 3: "pathType string!" },
    HTTPIngressRuleValue: { 1: "paths []HTTPIngressPath" },
    Ingress: {
      1: "metadata meta.k8s.io/v1.ObjectMeta",
      2: "spec IngressSpec",
      3: "status networking.k8s.io/v1.IngressStatus",
    },
    IngressBackend: {
      1: "serviceName string",
      2: "servicePort IntOrString",
      3: "resource v1.TypedLocalObjectReference!",
    },
    IngressRule: { 1: "host string", 2: "...IngressRuleValue" },
    IngressRuleValue: { 1: "http HTTPIngressRuleValue!" },
    IngressSpec: {
      1: "backend IngressBackend!",
      2: "tls []networking.k8s.io/v1.IngressTLS",
      3: "rules []IngressRule",
      4: "ingressClassName string!",
    },
  },
};
