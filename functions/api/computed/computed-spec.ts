import type { z } from "zod";
import {
  type Failure,
  type FieldError,
  forbiddenValue,
  invalidValue,
  requiredValue,
} from "../../objects/failure.ts";
import { isJsonObject, type JsonObject } from "../../objects/json.ts";
import { KUBEGC } from "../../objects/kinds/kubegc.ts";

/** The refusal of an object of this project's group whose `spec` is not what its kind has. */
export function invalidSpec(kind: string, sent: JsonObject, error: z.ZodError): Failure {
  const { name } = isJsonObject(sent.metadata) ? sent.metadata : {};
  return {
    reason: "Invalid",
    group: KUBEGC,
    kind,
    name: typeof name === "string" ? name : "",
    errors: error.issues.flatMap(faultsOf),
  };
}

function faultsOf(issue: z.core.$ZodIssue): FieldError[] {
  const field = issue.path.reduce<string>(
    (path, part) => (typeof part === "number" ? `${path}[${part}]` : `${path}.${String(part)}`),
    "spec",
  );
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => forbiddenValue(`${field}.${key}`, "is not a field of it"));
  }
  if (issue.input === undefined) return [requiredValue(field, "")];
  if (issue.code === "too_small" && issue.input === "") return [requiredValue(field, "")];
  const { input } = issue;
  return [invalidValue(field, typeof input === "object" ? JSON.stringify(input) : input, issue.message)];
}
