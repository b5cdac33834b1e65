import { parseBody } from "../decode/body.ts";
import { apiVersionAndKind, DELETE_OPTIONS } from "../decode/object-types.ts";
import { describeFault, readTyped } from "../decode/typed-fields.ts";
import { type FieldError, invalidValue, type Outcome, ok, refuse, unsupportedValue } from "../failure.ts";

/** What a DELETE may say. `uid` and `resourceVersion` are preconditions; an empty one is one that never holds. */
export interface DeleteOptions {
  /** May be negative: what that means is up to the kind. */
  gracePeriodSeconds?: number;
  uid?: string;
  resourceVersion?: string;
  orphanDependents?: boolean;
  propagationPolicy?: "Background" | "Foreground" | "Orphan";
  dryRun: boolean;
}

/** As they come, before the rules are asked. */
interface SentOptions {
  gracePeriodSeconds?: number;
  preconditions?: { uid?: string; resourceVersion?: string };
  orphanDependents?: boolean;
  propagationPolicy?: string;
  dryRun?: string[];
}

/**
 * The options of a DELETE. A body that is not empty counts alone; the query is read when there is none.
 *
 * Errors: Unknown for a body that cannot be decoded (as Kubernetes 1.20 has it), UnsupportedMediaType, BadRequest for a
 * query value that cannot be read, Invalid with all faults for what is read but not allowed. They come before the object
 * is looked up.
 *
 * Source: kubernetes `endpoints/handlers/delete.go`, k8s.io/apimachinery `meta/v1/validation` (ValidateDeleteOptions).
 */
export function decodeDeleteOptions(
  bodyText: string,
  mediaType: string,
  query: URLSearchParams,
): Outcome<DeleteOptions> {
  const sent = bodyText === "" ? fromQuery(query) : fromBody(bodyText, mediaType);
  if (!sent.ok) return sent;
  const { preconditions = {}, propagationPolicy, dryRun = [], ...options } = sent.value;
  const errors: FieldError[] = [];
  if (options.orphanDependents !== undefined && propagationPolicy !== undefined) {
    const detail = "orphanDependents and deletionPropagation cannot be both set";
    errors.push(invalidValue("propagationPolicy", propagationPolicy, detail));
  }
  if (propagationPolicy !== undefined && !isPolicy(propagationPolicy)) {
    errors.push(unsupportedValue("propagationPolicy", propagationPolicy, [...POLICIES, "nil"]));
  }
  errors.push(...dryRunFaults(dryRun));
  if (errors.length > 0) return refuse(invalidOptions("DeleteOptions", errors));
  return ok({
    ...options,
    ...preconditions,
    ...(propagationPolicy !== undefined && isPolicy(propagationPolicy) ? { propagationPolicy } : {}),
    dryRun: dryRun.length > 0,
  });
}

const POLICIES = ["Foreground", "Background", "Orphan"] as const;
const isPolicy = (text: string): text is (typeof POLICIES)[number] =>
  (POLICIES as readonly string[]).includes(text);

/** Any apiVersion will do for the kind DeleteOptions: old clients send the one of the resource. */
function fromBody(text: string, mediaType: string): Outcome<SentOptions> {
  const parsed = parseBody(text, mediaType);
  if (!parsed.ok) return parsed;
  if ("fault" in parsed.value) return undecodable(parsed.value.fault);
  const { value, json } = parsed.value;
  const type = apiVersionAndKind(value);
  if ("fault" in type) return undecodable(type.fault);
  const { apiVersion = "v1", kind = "DeleteOptions" } = type;
  if (kind !== "DeleteOptions") {
    return undecodable(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27"`,
    );
  }
  const reading = readTyped(value, DELETE_OPTIONS);
  if ("fault" in reading) return undecodable(describeFault(reading.fault, json));
  return ok((reading.value ?? {}) as SentOptions);
}

const undecodable = (message: string): Outcome<never> => refuse({ reason: "Unknown", message });

/** An empty value counts as given, but for the preconditions. */
function fromQuery(query: URLSearchParams): Outcome<SentOptions> {
  const grace = query.get("gracePeriodSeconds");
  const gracePeriodSeconds = grace === null ? undefined : parseInt64(grace);
  if (typeof gracePeriodSeconds === "string") {
    return refuse({ reason: "BadRequest", message: gracePeriodSeconds });
  }
  const orphan = query.get("orphanDependents");
  const propagationPolicy = query.get("propagationPolicy");
  const uid = query.get("uid") ?? "";
  const resourceVersion = query.get("resourceVersion") ?? "";
  return ok({
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(orphan === null ? {} : { orphanDependents: !["0", "false"].includes(orphan.toLowerCase()) }),
    ...(propagationPolicy === null ? {} : { propagationPolicy }),
    preconditions: {
      ...(uid === "" ? {} : { uid }),
      ...(resourceVersion === "" ? {} : { resourceVersion }),
    },
    dryRun: query.getAll("dryRun"),
  });
}

const MAX_INT64 = 2n ** 63n - 1n;

/** The number, or what is wrong with it in the words of Go's `strconv.ParseInt`. */
function parseInt64(text: string): number | string {
  const fault = (what: string) => `strconv.ParseInt: parsing ${JSON.stringify(text)}: ${what}`;
  if (!/^[+-]?[0-9]+$/.test(text)) return fault("invalid syntax");
  const digits = text.replace(/^[+-]?0*/, "");
  const limit = text.startsWith("-") ? MAX_INT64 + 1n : MAX_INT64;
  if (digits.length > 19 || BigInt(digits) > limit) return fault("value out of range");
  return Number(text);
}

/**
 * Whether a create, update or patch is only tried: `dryRun=All`, any number of times.
 * Error: Invalid on the options for any other value.
 */
export function decodeDryRun(
  query: URLSearchParams,
  options: "CreateOptions" | "UpdateOptions" | "PatchOptions",
): Outcome<boolean> {
  const values = query.getAll("dryRun");
  const errors = dryRunFaults(values);
  return errors.length > 0 ? refuse(invalidOptions(options, errors)) : ok(values.length > 0);
}

export const dryRunFaults = (values: readonly string[]): FieldError[] =>
  values.every((value) => value === "All") ? [] : [unsupportedValue("dryRun", values, ["All"])];

export const invalidOptions = (kind: string, errors: FieldError[]) =>
  ({ reason: "Invalid", group: "meta.k8s.io", kind, name: "", errors }) as const;
