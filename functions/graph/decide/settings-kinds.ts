import { readGuard } from "../../guard/settings.ts";
import { readNodePolicy } from "../../nodes/settings/node-policy.ts";
import type { FieldError } from "../../objects/failure.ts";
import type { JsonObject } from "../../objects/json.ts";
import type { Kind } from "../../objects/kind.ts";
import { readSettings } from "../../sweeps/settings.ts";

type Validate = (object: JsonObject) => FieldError[];

/** The kinds of this project that hold settings, by store: what is wrong with one is said when it is written. */
const SETTINGS: ReadonlyMap<string, Validate> = new Map<string, Validate>([
  [
    "sweeppolicies.gc.kubegc.dev",
    ({ spec }) => {
      const reading = readSettings(spec);
      return "errors" in reading ? reading.errors : [];
    },
  ],
  [
    "deletionguards.gc.kubegc.dev",
    ({ spec }) => {
      const reading = readGuard(spec);
      return "errors" in reading ? reading.errors : [];
    },
  ],
  [
    "nodepolicies.gc.kubegc.dev",
    ({ spec }) => {
      const reading = readNodePolicy("", spec);
      return "errors" in reading ? [...reading.errors] : [];
    },
  ],
]);

/** What is wrong with an object that holds settings; nothing for any other. */
export const settingsErrors = (kind: Kind, object: JsonObject): FieldError[] =>
  SETTINGS.get(kind.storedAs)?.(object) ?? [];
