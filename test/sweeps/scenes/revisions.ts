import type { Scene } from "../scene.ts";

const APPS = "/apis/apps/v1/namespaces/default";
const matchLabels = { app: "web" };
const template = (image: string, hash?: string) => ({
  metadata: { labels: { ...matchLabels, ...(hash === undefined ? {} : { "pod-template-hash": hash }) } },
  spec: { containers: [{ name: "web", image }] },
});

export const revisions: Scene = {
  sweep: "revisions",
  async lay(stage) {
    const deployment = await stage.put(`${APPS}/deployments`, "web", {
      spec: { replicas: 1, revisionHistoryLimit: 1, selector: { matchLabels }, template: template("v4") },
      status: {
        observedGeneration: 1,
        replicas: 1,
        updatedReplicas: 1,
        availableReplicas: 1,
        readyReplicas: 1,
      },
    });
    const metadata = await stage.controlledBy(deployment);
    const put = (revision: number, replicas: number) =>
      stage.put(`${APPS}/replicasets`, `web-${revision}`, {
        metadata: { ...metadata, annotations: { "deployment.kubernetes.io/revision": `${revision}` } },
        spec: { replicas, selector: { matchLabels }, template: template(`v${revision}`, `h${revision}`) },
        status: { observedGeneration: 1, replicas },
      });
    const current = await put(4, 1);
    const [first, second] = [await put(1, 0), await put(2, 0)];
    const last = await put(3, 0);
    return {
      going: { [first]: "replicaset-history", [second]: "replicaset-history" },
      staying: [deployment, current, last],
    };
  },
};
