import { describe, expect, test } from "vitest";
import { type Negotiated, negotiate, parseIncludeObject } from "./negotiate.ts";

const json: Negotiated = { as: "object", version: "v1", list: false, mediaType: "json", pretty: false };
const table = "application/json;as=Table;v=v1;g=meta.k8s.io";

describe("negotiate", () => {
  test.each<[accept: string | undefined, negotiated: Partial<Negotiated>]>([
    [undefined, {}],
    ["", {}],
    ["*/*", {}],
    ["*", {}],
    ["application/*", {}],
    ["application/json", {}],
    ["Application/JSON", {}],
    ["application/json, */*", {}],
    ["application/json;charset=utf-8", {}],
    ["application/json;pretty=1", { pretty: true }],
    ["application/json;stream=watch", {}],
    ["application/vnd.kubernetes.protobuf,application/json", {}],
    ["application/vnd.kubernetes.protobuf, */*", {}],
    ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", {}],
    ["application/yaml", { mediaType: "yaml" }],
    ["application/yaml, application/json;q=0.5", { mediaType: "yaml" }],
    ["application/yaml;q=0.5, application/json", {}],
    ["*/*, application/yaml", { mediaType: "yaml" }],
    [table, { as: "table" }],
    ["application/json; as=Table; v=v1beta1; g=meta.k8s.io", { as: "table", version: "v1beta1" }],
    [`${table},application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json`, { as: "table" }],
    [
      "application/json;as=Table;v=v2;g=meta.k8s.io,application/json;as=Table;v=v1;g=meta.k8s.io",
      { as: "table" },
    ],
    ["application/json;as=Table;v=v1,application/json", {}],
    ["application/json;as=Other;v=v1;g=meta.k8s.io,application/json", {}],
    ["application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io,application/json", {}],
    ["application/yaml;as=Table;v=v1;g=meta.k8s.io", { as: "table", mediaType: "yaml" }],
    ["application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1", { as: "partial" }],
    [
      "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json",
      { as: "partial", list: true },
    ],
  ])("%j", (accept, negotiated) => {
    expect(negotiate(accept)).toEqual({ ok: true, value: { ...json, ...negotiated } });
  });

  test.each([
    "application/vnd.kubernetes.protobuf",
    "text/html",
    "application",
    "application/json;as=Other;v=v1;g=meta.k8s.io",
    "application/yaml;stream=watch",
    "application/json;stream=other",
    ",",
  ])("%j is not acceptable", (accept) => {
    expect(negotiate(accept)).toEqual({
      ok: false,
      failure: { reason: "NotAcceptable", accepted: ["application/json", "application/yaml"] },
    });
  });
});

describe("parseIncludeObject", () => {
  test.each([
    [undefined, "Metadata"],
    ["", "Metadata"],
    ["None", "None"],
    ["Metadata", "Metadata"],
    ["Object", "Object"],
  ])("%j reads as %j", (parameter, value) => {
    expect(parseIncludeObject(parameter)).toEqual({ ok: true, value });
  });

  test("refuses anything else", () => {
    expect(parseIncludeObject("All")).toEqual({
      ok: false,
      failure: {
        reason: "BadRequest",
        message: `Unable to convert to Table as requested: includeObject: Invalid value: "All": must be 'Metadata', 'Object', 'None', or empty`,
      },
    });
  });
});
