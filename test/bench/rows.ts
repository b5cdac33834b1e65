import { cascadeRows } from "./cascades.ts";
import { coldStartRow } from "./cold-start.ts";
import { createRows } from "./creates.ts";
import { deleteCallRow } from "./delete-call.ts";
import { getRows } from "./gets.ts";
import { largeNamespaceRow } from "./large-namespace.ts";
import { listRows } from "./lists.ts";
import { mixedLoadRow } from "./mixed-load.ts";
import { nodeRows } from "./nodes.ts";
import { previewRows } from "./previews.ts";
import { readsDuringCascadeRow } from "./reads-during-cascade.ts";
import { restoreRow } from "./restores.ts";
import type { Row } from "./row.ts";
import { watchRow } from "./watches.ts";

/** In the order in which they run; the largest database comes last. */
export const rows: readonly Row[] = [
  ...cascadeRows,
  deleteCallRow,
  ...createRows,
  ...getRows,
  ...listRows,
  watchRow,
  mixedLoadRow,
  ...previewRows,
  restoreRow,
  ...nodeRows,
  readsDuringCascadeRow,
  coldStartRow,
  largeNamespaceRow,
];
