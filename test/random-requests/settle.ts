import { eventually } from "../server.ts";
import { readStoredRows, type StoredRows } from "./stored-rows.ts";
import { isLeft } from "./unsettled.ts";

/** Waits until nothing is left to do, or nothing more happens; what the store holds then. */
export async function settled(dataDir: string, cluster: string, timeout = 30_000): Promise<StoredRows> {
  const read = () => readStoredRows(dataDir, cluster);
  try {
    return await eventually(
      async () => read(),
      ({ work }) => !work.some(isLeft),
      timeout,
    );
  } catch {
    return read();
  }
}
