import {
  type FieldError,
  forbiddenValue,
  type Outcome,
  ok,
  refuse,
  unsupportedValue,
} from "../objects/failure.ts";
import { readResourceVersion } from "../objects/metadata/resource-version.ts";
import { type Continuation, decodeContinue, type Place } from "./continue-token.ts";

/** Which state a list shows. */
export type Moment =
  /** The newest, which must have come at least so far. */
  | { kind: "newest"; atLeast: number }
  | { kind: "exact"; resourceVersion: number }
  /** Where the page before ended, and as it was then. */
  | ({ kind: "continued" } & Continuation);

export interface ListOptions {
  /** 0: no limit. */
  limit: number;
  moment: Moment;
}

export interface WatchOptions {
  /** 0: none in particular. */
  resourceVersion: number;
  bookmarks: boolean;
  /** Undefined: existing objects come first unless there is a resourceVersion to start after. */
  sendInitialEvents: boolean | undefined;
  /** 0: the server says. */
  timeoutSeconds: number;
}

const NOT_OLDER_THAN = "NotOlderThan";
const EXACT = "Exact";

/**
 * Reads the options of a list. Errors: BadRequest for what cannot be read, Invalid for what does not go together, in
 * upstream's words.
 *
 * An exact version with a limit needs no `resourceVersionMatch`: that is how it was before there was one.
 *
 * Sources: k8s.io/apimachinery internalversion/validation, ValidateListOptions; k8s.io/apiserver storage,
 * ValidateListOptions; kubernetes.io/docs/reference/using-api/api-concepts (the semantics of resource versions).
 */
export function decodeListOptions(query: URLSearchParams, place: Place): Outcome<ListOptions> {
  const limit = limitOf(query);
  if (!limit.ok) return limit;
  const timeout = integerParameter(query, "timeoutSeconds");
  if (!timeout.ok) return timeout;
  const errors = listFaults(query);
  if (errors.length > 0) return invalid(errors);
  const version = query.get("resourceVersion") ?? "";
  const token = query.get("continue") ?? "";
  if (token !== "") {
    const from = decodeContinue(token, place);
    if (!from.ok) return from;
    if (version !== "" && version !== "0") {
      return refuse({
        reason: "BadRequest",
        message: "specifying resource version is not allowed when using continue",
      });
    }
    return ok({ limit: limit.value, moment: { kind: "continued", ...from.value } });
  }
  const resourceVersion = decodeVersion(version);
  if (!resourceVersion.ok) return resourceVersion;
  const match = query.get("resourceVersionMatch") ?? "";
  const isExact = match === EXACT || (match === "" && limit.value > 0 && resourceVersion.value > 0);
  return ok({
    limit: limit.value,
    moment: isExact
      ? { kind: "exact", resourceVersion: resourceVersion.value }
      : { kind: "newest", atLeast: resourceVersion.value },
  });
}

/** Reads the options of a watch. Errors and sources as above. */
export function decodeWatchOptions(query: URLSearchParams): Outcome<WatchOptions> {
  const limit = limitOf(query);
  if (!limit.ok) return limit;
  const timeout = integerParameter(query, "timeoutSeconds");
  if (!timeout.ok) return timeout;
  const errors = watchFaults(query);
  if (errors.length > 0) return invalid(errors);
  const version = decodeVersion(query.get("resourceVersion") ?? "");
  if (!version.ok) return version;
  return ok({
    resourceVersion: version.value,
    bookmarks: booleanParameter(query, "allowWatchBookmarks") ?? false,
    sendInitialEvents: booleanParameter(query, "sendInitialEvents"),
    timeoutSeconds: timeout.value ?? 0,
  });
}

/** The version that a read must have come to; 0 when it may be any. Error: BadRequest. */
export function decodeVersion(text: string): Outcome<number> {
  const read = readResourceVersion(text);
  // Greater numbers lose their last digits, which does not bring them any nearer.
  if (read.ok) return ok(Number(read.value));
  const why = "message" in read.failure ? read.failure.message : "";
  return refuse({
    reason: "BadRequest",
    message: `invalid resource version: resourceVersion: Invalid value: ${JSON.stringify(text)}: ${why}`,
  });
}

/** Undefined when it is absent. Only `false` and `0` are false, also the empty text is true: as upstream reads it. */
export function booleanParameter(query: URLSearchParams, name: string): boolean | undefined {
  const text = query.get(name)?.toLowerCase();
  return text === undefined ? undefined : text !== "false" && text !== "0";
}

function limitOf(query: URLSearchParams): Outcome<number> {
  const limit = integerParameter(query, "limit");
  if (!limit.ok) return limit;
  const { value = 0 } = limit;
  if (value >= 0) return ok(value);
  return refuse({
    reason: "BadRequest",
    message: `limit: Invalid value: ${value}: must be greater than or equal to 0`,
  });
}

/** Error: BadRequest in the words of Go's parser. */
function integerParameter(query: URLSearchParams, name: string): Outcome<number | undefined> {
  const text = query.get(name) ?? "";
  if (text === "") return ok(undefined);
  const fault = (what: string) =>
    refuse({ reason: "BadRequest", message: `strconv.ParseInt: parsing ${JSON.stringify(text)}: ${what}` });
  if (!/^[+-]?\d+$/.test(text)) return fault("invalid syntax");
  return Number.isSafeInteger(Number(text)) ? ok(Number(text)) : fault("value out of range");
}

const MATCH = "resourceVersionMatch";

function listFaults(query: URLSearchParams): FieldError[] {
  const errors: FieldError[] = [];
  const match = query.get(MATCH) ?? "";
  const version = query.get("resourceVersion") ?? "";
  if (match !== "") {
    if (version === "") {
      errors.push(
        forbiddenValue(MATCH, "resourceVersionMatch is forbidden unless resourceVersion is provided"),
      );
    }
    if (isContinued(query)) errors.push(FORBIDDEN_WITH_CONTINUE);
    if (match !== EXACT && match !== NOT_OLDER_THAN) {
      errors.push(unsupportedValue(MATCH, match, [EXACT, NOT_OLDER_THAN, ""]));
    }
    if (match === EXACT && version === "0") {
      errors.push(forbiddenValue(MATCH, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (query.has("sendInitialEvents")) {
    errors.push(forbiddenValue("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  }
  return errors;
}

function watchFaults(query: URLSearchParams): FieldError[] {
  const errors: FieldError[] = [];
  const match = query.get(MATCH) ?? "";
  const saysInitial = query.has("sendInitialEvents");
  if (saysInitial && match !== NOT_OLDER_THAN) {
    errors.push(
      forbiddenValue(MATCH, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"),
    );
  }
  if (match === "") return errors;
  if (!saysInitial) {
    errors.push(
      forbiddenValue(
        MATCH,
        "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
      ),
    );
  }
  if (match !== NOT_OLDER_THAN) errors.push(unsupportedValue(MATCH, match, [NOT_OLDER_THAN]));
  if (isContinued(query)) errors.push(FORBIDDEN_WITH_CONTINUE);
  return errors;
}

const isContinued = (query: URLSearchParams): boolean => (query.get("continue") ?? "") !== "";

const FORBIDDEN_WITH_CONTINUE = forbiddenValue(
  MATCH,
  "resourceVersionMatch is forbidden when continue is provided",
);

const invalid = (errors: FieldError[]): Outcome<never> =>
  refuse({ reason: "Invalid", group: "meta.k8s.io", kind: "ListOptions", name: "", errors });
