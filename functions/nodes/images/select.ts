import type { Millis } from "../../objects/object.ts";
import type { ImageSettings } from "../settings/settings.ts";
import type { ImageRecord, ImageRecords } from "./image-record.ts";
import { candidates, tooRecent } from "./verdict.ts";

/** Images that will not be tried: they could not be removed earlier in the same run. */
type Passed = (image: ImageRecord) => boolean;
const none: Passed = () => false;

/**
 * The images that go for so many bytes: as many as are needed, and not one more. One that is eligible goes even when
 * nothing is wanted, since upstream asks whether it is enough only after a removal.
 *
 * Source: kubernetes pkg/kubelet/images/image_gc_manager.go (freeSpace).
 */
export function imagesForSpace(
  records: ImageRecords,
  bytes: number,
  settings: ImageSettings,
  now: Millis,
  passed: Passed = none,
): ImageRecord[] {
  const chosen: ImageRecord[] = [];
  let freed = 0;
  for (const image of unusedImages(records, settings, now, passed)) {
    chosen.push(image);
    freed += image.size;
    if (freed >= bytes) break;
  }
  return chosen;
}

/** All that may go, as under disk pressure. The minimum age holds here too. */
export function unusedImages(
  records: ImageRecords,
  settings: ImageSettings,
  now: Millis,
  passed: Passed = none,
): ImageRecord[] {
  return candidates(records, settings, now).filter(
    (image) => !passed(image) && tooRecent(image, settings, now) === undefined,
  );
}

/**
 * Images that were not used for longer than the maximum age, whatever the disk says. One that was never used is as old as
 * our knowledge of it. `since`, when the settings have ages begin anew at a restart, is that restart, and then it is as
 * upstream has it: nothing goes before a maximum age has passed since, and then all that was never used.
 *
 * Source: kubernetes pkg/kubelet/images/image_gc_manager.go (freeOldImages); the first rule differs on purpose.
 */
export function imagesForAge(
  records: ImageRecords,
  settings: ImageSettings,
  now: Millis,
  since: Millis | undefined,
  passed: Passed = none,
): ImageRecord[] {
  const { maximumAge } = settings;
  if (maximumAge <= 0) return [];
  if (since !== undefined && now - since <= maximumAge) return [];
  return candidates(records, settings, now).filter((image) => {
    if (passed(image)) return false;
    const { lastUsed, firstDetected } = image;
    if (lastUsed === null && since !== undefined) return true;
    return now - (lastUsed ?? firstDetected) > maximumAge;
  });
}
