import { type Answer, eventually } from "../server.ts";

/** A kind that recorded cases use, with the least that an API server accepts besides metadata. */
export interface CaseKind {
  apiVersion: string;
  plural: string;
  namespaced: boolean;
  content?: object;
}

const podSpec = { containers: [{ name: "c", image: "nginx" }] };
const template = { metadata: { labels: { app: "x" } }, spec: podSpec };
const workload = { replicas: 0, selector: { matchLabels: { app: "x" } }, template };

const namespaced = (apiVersion: string, plural: string, content?: object): CaseKind => ({
  apiVersion,
  plural,
  namespaced: true,
  ...(content && { content }),
});

const KINDS: Readonly<Record<string, CaseKind>> = {
  ConfigMap: namespaced("v1", "configmaps", { data: { k: "v" } }),
  Secret: namespaced("v1", "secrets"),
  Pod: namespaced("v1", "pods", { spec: podSpec }),
  ReplicationController: namespaced("v1", "replicationcontrollers", {
    spec: { replicas: 0, selector: { app: "x" }, template },
  }),
  ReplicaSet: namespaced("apps/v1", "replicasets", { spec: workload }),
  Deployment: namespaced("apps/v1", "deployments", { spec: workload }),
  Job: namespaced("batch/v1", "jobs", {
    spec: { parallelism: 0, template: { spec: { ...podSpec, restartPolicy: "Never" } } },
  }),
  Lease: namespaced("coordination.k8s.io/v1", "leases"),
  Role: namespaced("rbac.authorization.k8s.io/v1", "roles"),
  Widget: namespaced("example.com/v1", "widgets"),
  ClusterRole: {
    apiVersion: "rbac.authorization.k8s.io/v1",
    plural: "clusterroles",
    namespaced: false,
  },
  StorageClass: {
    apiVersion: "storage.k8s.io/v1",
    plural: "storageclasses",
    namespaced: false,
    content: { provisioner: "example.com/none" },
  },
  Node: { apiVersion: "v1", plural: "nodes", namespaced: false },
  PriorityClass: {
    apiVersion: "scheduling.k8s.io/v1",
    plural: "priorityclasses",
    namespaced: false,
    content: { value: 1 },
  },
  Gadget: { apiVersion: "example.com/v1", plural: "gadgets", namespaced: false },
};

/** @throws Error when no case uses such a kind */
export function kindNamed(name: string): CaseKind {
  const kind = KINDS[name];
  if (kind === undefined) throw new Error(`cases have no kind ${name}`);
  return kind;
}

/** The path of a kind's collection; the namespace counts for namespaced kinds only. */
export function collectionPath({ apiVersion, plural, namespaced }: CaseKind, namespace: string): string {
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return namespaced ? `${root}/namespaces/${namespace}/${plural}` : `${root}/${plural}`;
}

interface Api {
  call(method: string, path: string, body?: unknown): Promise<Answer>;
}

/** Makes a cluster serve the two custom kinds, `Widget` (namespaced) and `Gadget` (cluster-scoped). */
export async function defineCustomKinds(api: Api): Promise<void> {
  for (const kind of ["Widget", "Gadget"]) {
    const { plural, namespaced } = kindNamed(kind);
    const made = await api.call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `${plural}.example.com` },
      spec: {
        group: "example.com",
        scope: namespaced ? "Namespaced" : "Cluster",
        names: { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List` },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
            },
          },
        ],
      },
    });
    if (made.code !== 201) throw new Error(`no definition of ${kind}: ${made.code} ${made.text}`);
    await eventually(
      () => api.call("GET", collectionPath(kindNamed(kind), "default")),
      ({ code }) => code === 200,
    );
  }
}
