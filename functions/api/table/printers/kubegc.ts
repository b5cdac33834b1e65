import { valueAt } from "../../../objects/selectors/field-path.ts";
import { ageColumn, type Column, column, nameColumn, wideColumn } from "../column.ts";
import { timeSince } from "../human-duration.ts";
import { booleanAt, clipped, countAt, entriesAt, integerAt, textAt, textsAt } from "../reading.ts";

/** This project's own kinds. */
export const kubegcColumns: Record<string, readonly Column[]> = {
  "sweeppolicies.gc.kubegc.dev": [
    nameColumn,
    column("Report-Only", "Whether nothing is deleted, only reported.", (object) =>
      String(booleanAt(object, "spec", "reportOnly") ?? false),
    ),
    column("Sweeps", "The sweeps that it sets.", (object) =>
      entriesAt(object, "spec", "sweeps")
        .map(([name]) => name)
        .join(","),
    ),
    ageColumn,
  ],
  "sweepruns.gc.kubegc.dev": [
    nameColumn,
    column("Sweep", "The sweep that ran.", (object) => textAt(object, "spec", "sweep")),
    column("Started", "How long ago it began.", (object, now) =>
      timeSince(textAt(object, "status", "startTime") || undefined, now),
    ),
    column("Found", "Objects that its rules apply to.", (object) => countAt(object, "status", "found")),
    column("Deleted", "Those that it deleted.", (object) => countAt(object, "status", "deleted")),
    column("Skipped", "Those that cannot be judged.", (object) => countAt(object, "status", "skipped")),
    column("Phase", "Whether it is over, and how it went.", (object) => textAt(object, "status", "phase")),
    wideColumn("Reported", "Those that would be deleted.", (object) => countAt(object, "status", "reported")),
    wideColumn("Failed", "Those that could not be deleted.", (object) => countAt(object, "status", "failed")),
    wideColumn("Trigger", "Why it ran.", (object) => textAt(object, "status", "trigger")),
  ],
  "nodeimages.gc.kubegc.dev": [
    nameColumn,
    column("Node", "Where it is.", (object) => textAt(object, "spec", "node")),
    column(
      "Image",
      "Its first name, or its id.",
      (object) => textsAt(object, "status", "repoTags")[0] ?? textAt(object, "status", "image"),
    ),
    column("Size", "As the runtime counts it.", (object) =>
      humanBytes(countAt(object, "status", "sizeBytes")),
    ),
    column("Last-Used", "When a container last had it.", (object, now) => {
      const used = textAt(object, "status", "lastUsedTime");
      return used === "" ? "never" : timeSince(used, now);
    }),
    column("State", "Why it stays, or its place among those that go next.", (object) => {
      const place = integerAt(object, "status", "place");
      return place === undefined ? `kept: ${textAt(object, "status", "keptBecause")}` : `next: ${place}`;
    }),
    ageColumn,
  ],
  "noderecords.gc.kubegc.dev": [
    nameColumn,
    column("Used", "Of the file system that holds the images.", (object) => percentAt(object, "usedPercent")),
    column("High", "From here on images go.", (object) => percentAt(object, "highThresholdPercent")),
    column("Images", "On the node.", (object) => countAt(object, "status", "images", "count"), {
      type: "integer",
    }),
    column("Containers", "Running, and all.", (object) => {
      const running = countAt(object, "status", "containers", "running");
      return `${running}/${running + countAt(object, "status", "containers", "dead")}`;
    }),
    column("Freed", "By what was removed so far.", (object) =>
      humanBytes(countAt(object, "status", "removed", "bytes")),
    ),
    column("Last-Report", "How long ago it was heard from.", (object, now) =>
      timeSince(textAt(object, "status", "lastReportTime") || undefined, now),
    ),
    ageColumn,
  ],
  "deletionstatuses.gc.kubegc.dev": [
    nameColumn,
    column("Kind", "What it is about.", (object) => textAt(object, "spec", "target", "kind")),
    column("Namespace", "Where that is.", (object) => textAt(object, "spec", "target", "namespace")),
    column("Target", "Its name.", (object) => textAt(object, "spec", "target", "name")),
    column("Since", "How long it has been terminating.", (object, now) =>
      timeSince(textAt(object, "status", "since") || undefined, now),
    ),
    column("Gone", "How much of the cascade is done.", (object) => {
      const cascade = valueAt(object, "status", "cascade");
      return cascade === undefined ? "" : `${countAt(cascade, "gone")}/${countAt(cascade, "total")}`;
    }),
    column("Waits-For", "What would let it go.", (object) =>
      clipped(textsAt(object, "status", "unblock"), 1),
    ),
  ],
  "deletionrecords.gc.kubegc.dev": [
    nameColumn,
    column("Kind", "What went.", (object) => textAt(object, "spec", "target", "kind")),
    column("Namespace", "Where it was.", (object) => textAt(object, "spec", "target", "namespace")),
    column("Target", "The name of what went.", (object) => textAt(object, "spec", "target", "name")),
    column("Rule", "The request or the rule that deleted it.", (object) => textAt(object, "spec", "rule")),
    column("Actor", "In whose name.", (object) => textAt(object, "spec", "actor")),
    column("Phase", "Whether it is gone.", (object) => textAt(object, "status", "phase")),
    wideColumn("Policy", "The propagation policy.", (object) => textAt(object, "spec", "propagationPolicy")),
    wideColumn("Cause", "The record that caused it.", (object) => textAt(object, "spec", "cause")),
    ageColumn,
  ],
};

const percentAt = (object: unknown, field: string): string => {
  const percent = integerAt(object, "status", field);
  return percent === undefined ? "" : `${percent}%`;
};

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

/** `512B`, `93MiB`, `1.4GiB`. */
function humanBytes(bytes: number): string {
  const power = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** power;
  return `${value < 10 && power > 0 ? value.toFixed(1) : Math.round(value)}${UNITS[power]}`;
}
