import { CORE, DEFAULT, type Scene } from "../scene.ts";

const PODS = `${DEFAULT}/pods`;
const pod = (nodeName: string | undefined, status: object) => ({
  spec: { containers: [{ name: "a", image: "a" }], ...(nodeName === undefined ? {} : { nodeName }) },
  status,
});

export const pods: Scene = {
  sweep: "pods",
  settings: { terminatedPodGCThreshold: 2, orphanQuarantine: "1s" },
  async lay(stage) {
    const ready = { conditions: [{ type: "Ready", status: "True" }] };
    const node = await stage.put(`${CORE}/nodes`, "n1", { status: ready });
    const broken = await stage.put(`${CORE}/nodes`, "n2", {
      spec: { taints: [{ key: "node.kubernetes.io/out-of-service", effect: "NoExecute" }] },
      status: { conditions: [{ type: "Ready", status: "False" }] },
    });
    const put = (name: string, nodeName: string, status: object) =>
      stage.put(PODS, name, pod(nodeName, status));
    const oldest = await put("a", "n1", { phase: "Succeeded" });
    const kept = [await put("b", "n1", { phase: "Failed" }), await put("c", "n1", { phase: "Succeeded" })];
    const evicted = await put("d", "n1", { phase: "Failed", reason: "Evicted" });
    const orphaned = await put("e", "gone", { phase: "Running" });
    const stuck = await put("f", "n2", { phase: "Running" });
    await stage.delete(stuck);
    await stage.delete(await stage.put(`${CORE}/nodes`, "gone"));
    const running = await put("g", "n1", { phase: "Running" });
    return {
      going: {
        [oldest]: "terminated",
        [evicted]: "terminated",
        [orphaned]: "orphaned",
        [stuck]: "request",
      },
      staying: [node, broken, ...kept, running],
    };
  },
};
