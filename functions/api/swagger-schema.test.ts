import { describe, expect, test } from "vitest";
import { swaggerSchema } from "./swagger-schema.ts";

const preserve = { "x-kubernetes-preserve-unknown-fields": true };

describe("a schema for clients of OpenAPI v2", () => {
  test("keeps types, fields and what is required", () => {
    const schema = {
      type: "object",
      required: ["size"],
      properties: { size: { type: "integer", format: "int32", minimum: 1 }, on: { type: "boolean" } },
    };
    expect(swaggerSchema(schema)).toEqual({
      type: "object",
      required: ["size"],
      properties: { size: { type: "integer", format: "int32" }, on: { type: "boolean" } },
    });
  });

  test("takes any value where those clients would refuse a legal one", () => {
    expect(swaggerSchema({ type: "object", properties: { a: { type: "string" } }, ...preserve })).toEqual(
      preserve,
    );
    expect(swaggerSchema({ type: "string", nullable: true })).toEqual({});
    expect(swaggerSchema({ anyOf: [{ type: "integer" }, { type: "string" }] })).toEqual({});
    expect(swaggerSchema({ type: "array" })).toEqual({});
    expect(swaggerSchema({ type: "null" })).toEqual({});
  });

  test("asks for no field that may be null or that the server fills in", () => {
    const properties = { a: { type: "string", nullable: true }, b: { type: "string", default: "x" } };
    expect(swaggerSchema({ type: "object", required: ["a", "b"], properties })).not.toHaveProperty(
      "required",
    );
  });

  test("gives an embedded object the fields of every object", () => {
    const schema = { type: "object", properties: {}, "x-kubernetes-embedded-resource": true };
    expect(swaggerSchema(schema)).toMatchObject({
      properties: { apiVersion: { type: "string" }, kind: { type: "string" }, metadata: { type: "object" } },
    });
  });
});
