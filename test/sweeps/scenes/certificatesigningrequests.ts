import { ago, HOUR, type Scene, type Stage } from "../scene.ts";

const COLLECTION = "/apis/certificates.k8s.io/v1/certificatesigningrequests";

async function request(stage: Stage, name: string, type?: string, lastUpdateTime?: string): Promise<string> {
  const path = await stage.put(COLLECTION, name, {
    spec: {
      request: btoa("request"),
      signerName: "kubernetes.io/kubelet-serving",
      usages: ["digital signature"],
    },
  });
  if (type === undefined) return path;
  const condition = { type, status: "True", reason: "Test", lastUpdateTime };
  const subresource = type === "Failed" ? "status" : "approval";
  await stage.patch(`${path}/${subresource}`, { status: { conditions: [condition] } });
  return path;
}

export const certificatesigningrequests: Scene = {
  sweep: "certificatesigningrequests",
  async lay(stage) {
    const denied = await request(stage, "denied", "Denied", ago(2 * HOUR));
    const failed = await request(stage, "failed", "Failed", ago(2 * HOUR));
    return {
      going: { [denied]: "request-denied", [failed]: "request-failed" },
      staying: [
        await request(stage, "denied-lately", "Denied"),
        await request(stage, "approved", "Approved", ago(2 * HOUR)),
        await request(stage, "pending"),
      ],
    };
  },
};
