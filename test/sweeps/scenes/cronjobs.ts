import { ago, HOUR, type Scene } from "../scene.ts";
import { finished, job } from "./jobs.ts";

const BATCH = "/apis/batch/v1/namespaces/default";

export const cronjobs: Scene = {
  sweep: "cronjobs",
  async lay(stage) {
    const cronJob = await stage.put(`${BATCH}/cronjobs`, "nightly", {
      spec: {
        schedule: "0 1 * * *",
        successfulJobsHistoryLimit: 1,
        failedJobsHistoryLimit: 0,
        jobTemplate: job(),
      },
    });
    const metadata = await stage.controlledBy(cronJob);
    const put = (name: string, type: "Complete" | "Failed", hours: number) =>
      stage.put(
        `${BATCH}/jobs`,
        name,
        job(undefined, { metadata, status: finished(type, ago(hours * HOUR)) }),
      );
    const [oldest, newest] = [await put("monday", "Complete", 48), await put("tuesday", "Complete", 24)];
    const failed = await put("wednesday", "Failed", 1);
    return {
      going: { [oldest]: "job-history", [failed]: "job-history" },
      staying: [cronJob, newest, await stage.put(`${BATCH}/jobs`, "thursday", job(undefined, { metadata }))],
      events: ["SuccessfulDelete"],
    };
  },
};
