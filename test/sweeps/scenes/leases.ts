import { CORE, HOUR, microsAgo, type Scene } from "../scene.ts";

const COORDINATION = "/apis/coordination.k8s.io";
const lease = (holderIdentity: string, renewed: number, metadata: object = {}) => ({
  metadata,
  spec: { holderIdentity, leaseDurationSeconds: 40, renewTime: microsAgo(renewed) },
});
const candidate = (renewed: number) => ({
  spec: {
    leaseName: "kube-scheduler",
    binaryVersion: "1.34.0",
    emulationVersion: "1.34.0",
    strategy: "OldestEmulationVersion",
    renewTime: microsAgo(renewed),
  },
});
const identity = { labels: { "apiserver.kubernetes.io/identity": "kube-apiserver" } };

export const leases: Scene = {
  sweep: "leases",
  async lay(stage) {
    const nodeLeases = `${COORDINATION}/v1/namespaces/kube-node-lease/leases`;
    const systemLeases = `${COORDINATION}/v1/namespaces/kube-system/leases`;
    const candidates = `${COORDINATION}/v1beta1/namespaces/kube-system/leasecandidates`;
    const node = await stage.put(`${CORE}/nodes`, "alive");
    const abandoned = await stage.put(nodeLeases, "gone", lease("gone", HOUR));
    const expired = await stage.put(systemLeases, "apiserver-1", lease("apiserver-1", HOUR, identity));
    const silent = await stage.put(candidates, "scheduler-1", candidate(HOUR));
    const version = await stage.put("/apis/internal.apiserver.k8s.io/v1alpha1/storageversions", "core.pods", {
      status: {
        storageVersions: [{ apiServerID: "apiserver-1", encodingVersion: "v1", decodableVersions: ["v1"] }],
      },
    });
    return {
      going: {
        [abandoned]: "node-lease-abandoned",
        [expired]: "identity-lease-expired",
        [silent]: "lease-candidate-expired",
        [version]: "storage-version-unserved",
      },
      staying: [
        node,
        await stage.put(nodeLeases, "alive", lease("alive", HOUR)),
        await stage.put(nodeLeases, "new", lease("new", 0)),
        await stage.put(systemLeases, "apiserver-2", lease("apiserver-2", 0, identity)),
        await stage.put(systemLeases, "kube-scheduler", lease("scheduler-2", HOUR)),
        await stage.put(candidates, "scheduler-2", candidate(0)),
      ],
    };
  },
};
