import type { Json } from "../../objects/json.ts";
import { isJsonObject } from "../../objects/json.ts";
import { countOf, type Faults, objectOf, textOf } from "./fields.ts";
import { parseJson } from "./listings.ts";
import type { FileSystemFigures, FileSystemLayout, ReportedFileSystems } from "./report.ts";

interface RuntimeFileSystem {
  readonly mountpoint: string;
  readonly usedBytes: number | undefined;
}

/** What `crictl imagefsinfo` and `df` say, put together. */
export function readFileSystems(imagefsinfo: string, df: string, faults: Faults): ReportedFileSystems {
  const runtime = readImageFsInfo(imagefsinfo, faults);
  const figures = readDf(df, faults);
  const of = (found: RuntimeFileSystem | undefined) => found && figures.byPath.get(found.mountpoint);
  const nodefs = figures.nodefs;
  const imagefs = of(runtime.image);
  const containerfs = of(runtime.container);
  return {
    layout: layoutOf(nodefs, imagefs, runtime.container === undefined ? imagefs : containerfs),
    nodefs,
    imagefs,
    containerfs,
    imageBytes: runtime.image?.usedBytes,
  };
}

/** Source: how the kubelet tells a split image file system, pkg/kubelet/eviction/helpers.go and its stats provider. */
function layoutOf(
  nodefs: FileSystemFigures | undefined,
  imagefs: FileSystemFigures | undefined,
  containerfs: FileSystemFigures | undefined,
): FileSystemLayout {
  if (nodefs === undefined || imagefs === undefined || containerfs === undefined) return "unknown";
  if (same(imagefs, nodefs)) return same(containerfs, nodefs) ? "one" : "unknown";
  if (same(containerfs, imagefs)) return "dedicated";
  return same(containerfs, nodefs) ? "split" : "unknown";
}

const same = (a: FileSystemFigures, b: FileSystemFigures): boolean =>
  a.device === b.device && a.mountedOn === b.mountedOn;

/**
 * crictl before 1.29 prints one file system in `status`; later ones print lists, of those for images and those for
 * containers, of which the first counts, as upstream has it.
 */
function readImageFsInfo(
  text: string,
  faults: Faults,
): { image: RuntimeFileSystem | undefined; container: RuntimeFileSystem | undefined } {
  const none = { image: undefined, container: undefined };
  if (text.trim() === "") return none;
  const parsed = parseJson(text, "imagefsinfo", faults);
  if (parsed === undefined) return none;
  const status = isJsonObject(parsed) && "status" in parsed ? parsed.status : parsed;
  if (!isJsonObject(status)) {
    faults.add("imagefsinfo.status", "must be an object");
    return none;
  }
  const { imageFilesystems, containerFilesystems } = status;
  if (Array.isArray(imageFilesystems)) {
    return {
      image: runtimeFileSystem(imageFilesystems[0], "imagefsinfo.status.imageFilesystems[0]", faults),
      container:
        Array.isArray(containerFilesystems) && containerFilesystems.length > 0
          ? runtimeFileSystem(containerFilesystems[0], "imagefsinfo.status.containerFilesystems[0]", faults)
          : undefined,
    };
  }
  return { image: runtimeFileSystem(status, "imagefsinfo.status", faults), container: undefined };
}

function runtimeFileSystem(
  value: Json | undefined,
  path: string,
  faults: Faults,
): RuntimeFileSystem | undefined {
  const found = objectOf(value);
  const mountpoint = textOf(objectOf(found.fsId).mountpoint);
  if (mountpoint === undefined) return faults.add(`${path}.fsId.mountpoint`, "is missing");
  return { mountpoint, usedBytes: countOf(objectOf(found.usedBytes).value) };
}

interface Figures {
  nodefs: FileSystemFigures | undefined;
  readonly byPath: Map<string, FileSystemFigures>;
}

interface Section {
  readonly role: string;
  readonly unit: string;
  readonly path: string;
  readonly row: Row;
}

interface Row {
  readonly device: string;
  readonly total: number;
  readonly available: number;
  readonly mountedOn: string;
}

/** Sections `# nodefs -k PATH` or `# fs -i PATH`, each followed by what df printed. */
function readDf(text: string, faults: Faults): Figures {
  const figures: Figures = { nodefs: undefined, byPath: new Map() };
  const sections = text
    .split(/^# /m)
    .slice(1)
    .flatMap((section) => readSection(section, faults) ?? []);
  for (const { role, unit, path, row } of sections) {
    if (unit !== "k" || row.total === 0) continue;
    const inodes = sections.find(
      (each) => each.unit === "i" && each.path === path && each.role === role,
    )?.row;
    const found: FileSystemFigures = {
      device: row.device,
      mountedOn: row.mountedOn,
      capacity: row.total * 1024,
      available: row.available * 1024,
      ...(inodes && inodes.total > 0 && { inodes: { capacity: inodes.total, available: inodes.available } }),
    };
    if (role === "nodefs") figures.nodefs = found;
    else figures.byPath.set(path, found);
  }
  return figures;
}

function readSection(section: string, faults: Faults): Section | undefined {
  const [head = "", ...lines] = section.split("\n");
  const [, role = "", unit = "", path = ""] = /^(nodefs|fs) -([ki]) (.+?)\r?$/.exec(head) ?? [];
  if (role === "") return faults.add("df", `a section has the head ${JSON.stringify(head.slice(0, 100))}`);
  const last = lines.filter((line) => line.trim() !== "").at(-1) ?? "";
  const row = ROW.exec(last);
  // A file system without inodes of its own prints dashes.
  if (row === null) return unit === "i" ? undefined : faults.add("df", `says nothing readable about ${path}`);
  const [, device = "", total = "", available = "", mountedOn = ""] = row;
  return {
    role,
    unit,
    path,
    row: { device, total: Number(total), available: Math.max(0, Number(available)), mountedOn },
  };
}

/** `df -P`: device, total, used, available, percent, mount point. What is left can be below zero for others than root. */
const ROW = /^(.*\S)\s+(\d{1,15})\s+-?\d+\s+(-?\d{1,15})\s+(?:-?\d+%|-)\s+(\/.*?)\s*$/;
