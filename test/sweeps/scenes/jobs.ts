import { fromNow, HOUR, type Scene } from "../scene.ts";

const COLLECTION = "/apis/batch/v1/namespaces/default/jobs";
const template = { spec: { restartPolicy: "Never", containers: [{ name: "sum", image: "sum" }] } };

/** A Job that has just finished. */
export const finished = (type: "Complete" | "Failed", startTime = fromNow(-HOUR)) => ({
  startTime,
  conditions: [{ type, status: "True", lastTransitionTime: fromNow(0) }],
});

export const job = (ttlSecondsAfterFinished?: number, more: object = {}) => ({
  spec: { ...(ttlSecondsAfterFinished === undefined ? {} : { ttlSecondsAfterFinished }), template },
  ...more,
});

export const jobs: Scene = {
  sweep: "jobs",
  async lay(stage) {
    const complete = await stage.put(COLLECTION, "complete", job(1, { status: finished("Complete") }));
    const failed = await stage.put(COLLECTION, "failed", job(0, { status: finished("Failed") }));
    return {
      going: { [complete]: "job-ttl", [failed]: "job-ttl" },
      staying: [
        await stage.put(COLLECTION, "later", job(3600, { status: finished("Complete") })),
        await stage.put(COLLECTION, "never", job(undefined, { status: finished("Complete") })),
        await stage.put(COLLECTION, "running", job(0)),
      ],
    };
  },
};
