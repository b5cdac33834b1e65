import type { Kind } from "../../objects/kind.ts";
import { ageColumn, type Column, nameColumn } from "./column.ts";
import { customColumns, type PrinterColumn } from "./custom-columns.ts";
import { accessColumns } from "./printers/access.ts";
import { autoscalingColumns } from "./printers/autoscaling.ts";
import { clusterColumns } from "./printers/cluster.ts";
import { configurationColumns } from "./printers/configuration.ts";
import { eventColumns } from "./printers/events.ts";
import { kubegcColumns } from "./printers/kubegc.ts";
import { networkColumns } from "./printers/network.ts";
import { storageColumns } from "./printers/storage.ts";
import { workloadColumns } from "./printers/workloads.ts";

/**
 * Columns by group and resource, as `kubectl get` shows them: upstream's `pkg/printers/internalversion`, with the column
 * definitions of release 1.20. Two groups that serve one store print alike.
 */
const byResource: ReadonlyMap<string, readonly Column[]> = new Map(
  [
    workloadColumns,
    clusterColumns,
    storageColumns,
    networkColumns,
    configurationColumns,
    accessColumns,
    autoscalingColumns,
    eventColumns,
    kubegcColumns,
  ].flatMap((domain) => Object.entries(domain)),
);

const nameAndAge: readonly Column[] = [nameColumn, ageColumn];

/** A kind's columns. Kinds without a printer of their own show name and age, custom ones what their definition asks for. */
export function columnsOf(
  kind: Kind,
  additionalPrinterColumns?: readonly PrinterColumn[],
): readonly Column[] {
  if (kind.traits.custom) return customColumns(additionalPrinterColumns);
  return byResource.get(kind.storedAs) ?? nameAndAge;
}
