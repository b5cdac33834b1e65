import { describe, expect, test } from "vitest";
import document from "../../../test/recorded/status-answers-1.20.json" with { type: "json" };
import type { Failure, FieldError } from "../failure.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import type { Kind } from "../kind.ts";
import { coreKinds } from "../kinds/core.ts";
import { groupResource, type ObjectMeta } from "../object.ts";
import { decodeObject, readPatched } from "./decode.ts";
import { decodeDeleteOptions } from "./delete-options.ts";
import { validateMetadata, validateMetadataUpdate } from "./metadata.ts";
import { duplicatesWarning, withoutDuplicates } from "./owner-references.ts";
import { prepareMetadataForCreate, prepareMetadataForUpdate, urlMismatch } from "./updates.ts";

interface Recorded {
  what: string;
  request: { method: string; path: string; body?: unknown; contentType?: string };
  code: number;
  headers: Record<string, string>;
  body: {
    reason?: string;
    message: string;
    details?: { name?: string; group?: string; kind?: string; causes?: unknown[] };
  };
}

const recorded = document as unknown as Recorded[];

const configMap = coreKinds.find(({ kind }) => kind === "ConfigMap") as Kind;
const resource = groupResource("", "configmaps");
const expected = { group: "", version: "v1", kind: "ConfigMap", custom: false };

const stored: Record<string, ObjectMeta> = {
  owner: {
    name: "owner",
    namespace: "err",
    uid: "0adf782e-03de-4b27-bf39-21ae43854b79",
    resourceVersion: "78",
    creationTimestamp: "2026-11-20T10:00:00Z",
  },
  held: {
    name: "held",
    namespace: "err",
    uid: "5c0e3a8e-7c4a-4c3c-8d6f-0d5ff0a6bd2b",
    resourceVersion: "80",
    creationTimestamp: "2026-11-20T10:00:00Z",
    deletionTimestamp: "2026-11-20T10:01:00Z",
    deletionGracePeriodSeconds: 0,
    finalizers: ["example.com/hold"],
  },
};

const metadataOf = (object: JsonObject): JsonObject => (isJsonObject(object.metadata) ? object.metadata : {});

const invalid = (name: string, errors: FieldError[]): Failure | undefined =>
  errors.length === 0 ? undefined : { reason: "Invalid", group: "", kind: "ConfigMap", name, errors };

function create(text: string, mediaType: string): Failure | undefined {
  const decoded = decodeObject(text, mediaType, expected);
  if (!decoded.ok) return decoded.failure;
  const meta = prepareMetadataForCreate(metadataOf(decoded.value), {
    kind: configMap,
    namespace: "err",
    uid: "new",
    now: 0,
    random: () => 0,
  });
  if (!meta.ok) return meta.failure;
  return invalid(meta.value.name, validateMetadata(meta.value, configMap));
}

function write(verb: "update" | "patch", object: JsonObject, target: ObjectMeta): Failure | undefined {
  const sent = metadataOf(object);
  const misplaced = urlMismatch(sent, { name: target.name, namespace: "err" });
  if (misplaced !== undefined) return misplaced;
  const meta = prepareMetadataForUpdate(sent, target, { kind: configMap, verb, resource });
  if (!meta.ok) return meta.failure;
  return invalid(target.name, validateMetadataUpdate(meta.value, target, configMap));
}

function answer({ what, request }: Recorded): Failure | undefined {
  const { method, path, body, contentType = "application/json" } = request;
  const huge = { metadata: { name: "an", annotations: { a: "x".repeat(263_000) } } };
  const sent = what === "create: annotations too large" ? huge : body;
  const text = typeof sent === "string" ? sent : sent === undefined ? "" : JSON.stringify(sent);
  const url = new URL(path, "http://localhost");
  const target = stored[url.pathname.split("/").at(-1) ?? ""];
  if (method === "POST") return create(text, contentType);
  if (method === "DELETE") {
    const options = decodeDeleteOptions(text, contentType, url.searchParams);
    return options.ok ? undefined : options.failure;
  }
  if (target === undefined) throw new Error(`nothing stored at ${path}`);
  if (method === "PUT") {
    const decoded = decodeObject(text, contentType, expected);
    return decoded.ok ? write("update", decoded.value, target) : decoded.failure;
  }
  const patch = body as { metadata: JsonObject };
  const object = { ...patch, metadata: { ...target, ...patch.metadata } as unknown as JsonObject };
  const patched = readPatched(object, expected);
  return patched.ok ? write("patch", patched.value, target) : patched.failure;
}

/** The parts of a Status that come from the failure. */
function status(failure: Failure): Recorded["body"] {
  const { reason } = failure;
  if (reason === "Invalid") {
    const causes = failure.errors.map(({ type, message, field }) => ({ reason: type, message, field }));
    const texts = [...new Set(failure.errors.map(({ field, message }) => `${field}: ${message}`))];
    const kind = failure.group === "" ? failure.kind : `${failure.kind}.${failure.group}`;
    const list = texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`;
    return {
      reason,
      message: `${kind} ${JSON.stringify(failure.name)} is invalid: ${list}`,
      details: {
        ...(failure.name === "" ? {} : { name: failure.name }),
        ...(failure.group === "" ? {} : { group: failure.group }),
        kind: failure.kind,
        causes,
      },
    };
  }
  if (reason === "Conflict") {
    const { message, name, subject } = failure;
    return { reason, message, details: { name, kind: subject } };
  }
  if (reason === "Unknown") return { message: failure.message };
  if (reason === "BadRequest" || reason === "UnsupportedMediaType")
    return { reason, message: failure.message };
  throw new Error(`no status for ${reason}`);
}

const withoutAddresses = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll(/0xc[0-9a-f]{9}/g, "0xADDRESS"));

/** These depend on what is stored, on the path, or on the patch, and are decided elsewhere. */
const DECIDED_ELSEWHERE = [
  "create: exists",
  "create: exists and terminating",
  "create: absent namespace",
  "update: absent",
  "patch: media type",
  "patch: test fails",
  "patch: bad json patch",
  "patch: absent",
  "patch: not an object",
  "delete: absent",
  "delete: wrong uid",
  "delete: wrong resourceVersion",
  "delete the namespace of kube-system",
  "method not allowed on a collection",
  "method not allowed on an object",
];

const decidable = recorded.filter(
  ({ what, request }) => request.method !== "GET" && !DECIDED_ELSEWHERE.includes(what),
);

describe("recorded answers of Kubernetes 1.20", () => {
  test("42 of the 67 are decided by metadata and options alone", () => {
    expect(recorded).toHaveLength(67);
    expect(decidable).toHaveLength(42);
  });

  test.each(decidable.filter(({ code }) => code >= 400))("$code $what", (entry) => {
    const failure = answer(entry);
    if (failure === undefined) throw new Error("it was accepted");
    const { reason, message, details } = entry.body;
    expect(withoutAddresses(status(failure))).toEqual(
      withoutAddresses({
        ...(reason === undefined ? {} : { reason }),
        message,
        ...(details === undefined ? {} : { details }),
      }),
    );
  });

  test.each(decidable.filter(({ code }) => code < 400))("$code $what", (entry) => {
    expect(answer(entry)).toBeUndefined();
  });

  test("the warning about duplicate owner references", () => {
    const entry = recorded.find(({ what }) => what.includes("accepted with a warning"));
    const { metadata } = (entry?.request.body ?? {}) as { metadata: ObjectMeta };
    const { refs, duplicates } = withoutDuplicates(metadata.ownerReferences ?? []);
    expect(refs).toHaveLength(1);
    expect(entry?.headers.warning).toBe(`299 - ${JSON.stringify(duplicatesWarning(duplicates))}`);
  });
});
