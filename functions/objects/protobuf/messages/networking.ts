import type { MessageTable } from "../message-table.ts";

/** The messages of `networking.k8s.io`, as Kubernetes 1.33.1 has them. */
export const networkingMessages: MessageTable = {
  "networking.k8s.io/v1": {
    HTTPIngressPath: { 1: "path string", 2: "backend IngressBackend!", 3: "pathType string!" },
    HTTPIngressRuleValue: { 1: "paths []HTTPIngressPath" },
    IPBlock: { 1: "cidr string!", 2: "except []string" },
    Ingress: { 1: "metadata meta.k8s.io/v1.ObjectMeta", 2: "spec IngressSpec", 3: "status IngressStatus" },
    IngressBackend: { 3: "resource v1.TypedLocalObjectReference!", 4: "service IngressServiceBackend!" },
    IngressClass: { 1: "metadata meta.k8s.io/v1.ObjectMeta", 2: "spec IngressClassSpec" },
    IngressClassParametersReference: {
      1: "apiGroup string!",
      2: "kind string!",
      3: "name string!",
      4: "scope string!",
      5: "namespace string!",
    },
    IngressClassSpec: { 1: "controller string", 2: "parameters IngressClassParametersReference!" },
    IngressLoadBalancerIngress: { 1: "ip string", 2: "hostname string", 4: "ports []IngressPortStatus" },
    IngressLoadBalancerStatus: { 1: "ingress []IngressLoadBalancerIngress" },
    IngressPortStatus: { 1: "port int32!", 2: "protocol string!", 3: "error string!" },
    IngressRule: { 1: "host string", 2: "...IngressRuleValue" },
    IngressRuleValue: { 1: "http HTTPIngressRuleValue!" },
    IngressServiceBackend: { 1: "name string!", 2: "port ServiceBackendPort" },
    IngressSpec: {
      1: "defaultBackend IngressBackend!",
      2: "tls []IngressTLS",
      3: "rules []IngressRule",
      4: "ingressClassName string!",
    },
    IngressStatus: { 1: "loadBalancer IngressLoadBalancerStatus" },
    IngressTLS: { 1: "hosts []string", 2: "secretName string" },
    NetworkPolicy: { 1: "metadata meta.k8s.io/v1.ObjectMeta", 2: "spec NetworkPolicySpec" },
    NetworkPolicyEgressRule: { 1: "ports []NetworkPolicyPort", 2: "to []NetworkPolicyPeer" },
    NetworkPolicyIngressRule: { 1: "ports []NetworkPolicyPort", 2: "from []NetworkPolicyPeer" },
    NetworkPolicyPeer: {
      1: "podSelector meta.k8s.io/v1.LabelSelector!",
      2: "namespaceSelector meta.k8s.io/v1.LabelSelector!",
      3: "ipBlock IPBlock!",
    },
    NetworkPolicyPort: { 1: "protocol string!", 2: "port IntOrString!", 3: "endPort int32!" },
    NetworkPolicySpec: {
      1: "podSelector meta.k8s.io/v1.LabelSelector!",
      2: "ingress []NetworkPolicyIngressRule",
      3: "egress []NetworkPolicyEgressRule",
      4: "policyTypes []string",
    },
    ServiceBackendPort: { 1: "name string", 2: "number int32" },
  },
};
