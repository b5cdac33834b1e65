import type { Kind } from "../kind.ts";
import { groupResource } from "../object.ts";
import { builtInKind, type Differences, statusOf } from "./built-in-kind.ts";

const cluster = (differences: Differences = {}): Differences => ({ ...differences, clusterScoped: true });
const counted = { countsGenerations: true } as const;

const eventsKinds: readonly Kind[] = [
  builtInKind("events.k8s.io", ["v1"], "Event", "events", {
    shortNames: ["ev"],
    storedAs: groupResource("", "events"),
    traits: { deletion: "unsupported" },
  }),
];

const certificatesKinds: readonly Kind[] = [
  builtInKind(
    "certificates.k8s.io",
    ["v1"],
    "CertificateSigningRequest",
    "certificatesigningrequests",
    cluster({
      shortNames: ["csr"],
      subresources: [
        { name: "approval", kind: "CertificateSigningRequest", verbs: ["get", "patch", "update"] },
        statusOf("CertificateSigningRequest"),
      ],
      traits: { nameSyntax: "path-segment" },
    }),
  ),
];

const networkingKinds: readonly Kind[] = [
  builtInKind("networking.k8s.io", ["v1"], "IngressClass", "ingressclasses", cluster({ traits: counted })),
  builtInKind("networking.k8s.io", ["v1"], "Ingress", "ingresses", {
    shortNames: ["ing"],
    subresources: [statusOf("Ingress")],
    traits: counted,
  }),
  builtInKind("networking.k8s.io", ["v1"], "NetworkPolicy", "networkpolicies", {
    shortNames: ["netpol"],
    traits: counted,
  }),
];

const role = { traits: { nameSyntax: "path-segment" } } as const;
const rbacKinds: readonly Kind[] = [
  builtInKind(
    "rbac.authorization.k8s.io",
    ["v1"],
    "ClusterRoleBinding",
    "clusterrolebindings",
    cluster(role),
  ),
  builtInKind("rbac.authorization.k8s.io", ["v1"], "ClusterRole", "clusterroles", cluster(role)),
  builtInKind("rbac.authorization.k8s.io", ["v1"], "RoleBinding", "rolebindings", role),
  builtInKind("rbac.authorization.k8s.io", ["v1"], "Role", "roles", role),
];

const returned = { returnsDeletedObject: true } as const;
const storageKinds: readonly Kind[] = [
  builtInKind("storage.k8s.io", ["v1"], "CSIDriver", "csidrivers", cluster({ traits: returned })),
  builtInKind("storage.k8s.io", ["v1"], "CSINode", "csinodes", cluster({ traits: returned })),
  builtInKind("storage.k8s.io", ["v1"], "CSIStorageCapacity", "csistoragecapacities"),
  builtInKind(
    "storage.k8s.io",
    ["v1"],
    "StorageClass",
    "storageclasses",
    cluster({ shortNames: ["sc"], traits: returned }),
  ),
  builtInKind(
    "storage.k8s.io",
    ["v1"],
    "VolumeAttachment",
    "volumeattachments",
    cluster({ subresources: [statusOf("VolumeAttachment")], traits: returned }),
  ),
];

const extension = { categories: ["api-extensions"], traits: counted } as const;
const admissionKinds: readonly Kind[] = [
  builtInKind(
    "admissionregistration.k8s.io",
    ["v1"],
    "MutatingWebhookConfiguration",
    "mutatingwebhookconfigurations",
    cluster(extension),
  ),
  builtInKind(
    "admissionregistration.k8s.io",
    ["v1"],
    "ValidatingAdmissionPolicy",
    "validatingadmissionpolicies",
    cluster({ ...extension, subresources: [statusOf("ValidatingAdmissionPolicy")] }),
  ),
  builtInKind(
    "admissionregistration.k8s.io",
    ["v1"],
    "ValidatingAdmissionPolicyBinding",
    "validatingadmissionpolicybindings",
    cluster(extension),
  ),
  builtInKind(
    "admissionregistration.k8s.io",
    ["v1"],
    "ValidatingWebhookConfiguration",
    "validatingwebhookconfigurations",
    cluster(extension),
  ),
];

const apiextensionsKinds: readonly Kind[] = [
  builtInKind(
    "apiextensions.k8s.io",
    ["v1"],
    "CustomResourceDefinition",
    "customresourcedefinitions",
    cluster({
      ...extension,
      shortNames: ["crd", "crds"],
      subresources: [statusOf("CustomResourceDefinition")],
    }),
  ),
];

const flowcontrolKinds: readonly Kind[] = [
  builtInKind(
    "flowcontrol.apiserver.k8s.io",
    ["v1", "v1beta1"],
    "FlowSchema",
    "flowschemas",
    cluster({ subresources: [statusOf("FlowSchema")], traits: counted }),
  ),
  builtInKind(
    "flowcontrol.apiserver.k8s.io",
    ["v1", "v1beta1"],
    "PriorityLevelConfiguration",
    "prioritylevelconfigurations",
    cluster({ subresources: [statusOf("PriorityLevelConfiguration")], traits: counted }),
  ),
];

const otherKinds: readonly Kind[] = [
  builtInKind(
    "scheduling.k8s.io",
    ["v1"],
    "PriorityClass",
    "priorityclasses",
    cluster({ shortNames: ["pc"], traits: counted }),
  ),
  builtInKind("coordination.k8s.io", ["v1"], "Lease", "leases"),
  builtInKind("coordination.k8s.io", ["v1beta1", "v1alpha2"], "LeaseCandidate", "leasecandidates"),
  builtInKind("node.k8s.io", ["v1"], "RuntimeClass", "runtimeclasses", cluster()),
  builtInKind("discovery.k8s.io", ["v1", "v1beta1"], "EndpointSlice", "endpointslices", { traits: counted }),
];

const apiserverKinds: readonly Kind[] = [
  builtInKind(
    "internal.apiserver.k8s.io",
    ["v1alpha1"],
    "StorageVersion",
    "storageversions",
    cluster({ subresources: [statusOf("StorageVersion")] }),
  ),
];

/** The groups under `k8s.io`, by what they are about; `built-in.ts` puts them in discovery's order. */
export const k8sIoKinds = {
  events: eventsKinds,
  certificates: certificatesKinds,
  networking: networkingKinds,
  rbac: rbacKinds,
  storage: storageKinds,
  admission: admissionKinds,
  apiextensions: apiextensionsKinds,
  other: otherKinds,
  flowcontrol: flowcontrolKinds,
  apiserver: apiserverKinds,
};
