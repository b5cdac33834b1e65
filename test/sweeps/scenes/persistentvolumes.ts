import { reviewing } from "../../outbound/serving.ts";
import { eventually } from "../../server.ts";
import { CORE, DEFAULT, type Scene, type Stage } from "../scene.ts";

const VOLUMES = `${CORE}/persistentvolumes`;
const CLAIMS = `${DEFAULT}/persistentvolumeclaims`;

const claimSpec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };

/** A volume that was bound to a claim which has just been deleted. */
export async function putLeftVolume(
  stage: Stage,
  name: string,
  persistentVolumeReclaimPolicy: string,
): Promise<string> {
  const claim = await stage.put(CLAIMS, name, { spec: { ...claimSpec, volumeName: name } });
  const { uid } = (await stage.get(claim)).body.metadata;
  const path = await stage.put(VOLUMES, name, {
    spec: {
      persistentVolumeReclaimPolicy,
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      hostPath: { path: `/srv/volumes/${name}` },
      claimRef: { namespace: "default", name, uid },
    },
    status: { phase: "Bound" },
  });
  await stage.delete(claim);
  await eventually(
    () => stage.get(claim),
    ({ code }) => code === 404,
  );
  return path;
}

/** With a deleter that does what it is told. */
export async function persistentvolumes(): Promise<Scene & { asked: readonly object[] }> {
  const { url, asked } = await reviewing(() => ({ result: "Done" }));
  return {
    sweep: "persistentvolumes",
    settings: { deleter: { url } },
    asked,
    async lay(stage) {
      const kept = await putLeftVolume(stage, "kept", "Retain");
      const freed = await putLeftVolume(stage, "freed", "Delete");
      return { going: { [freed]: "volume-reclaimed" }, staying: [kept] };
    },
  };
}
