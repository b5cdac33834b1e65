import { describe, expect, it } from "vitest";
import { kindRegistry } from "../objects/kinds/registry.ts";
import type { ResourceRequest } from "./context.ts";
import { isStreamed, streamedAnswer } from "./represent.ts";
import { negotiate } from "./table/negotiate.ts";

function requestFor(accept: string): ResourceRequest {
  const kind = kindRegistry([]).served("", "v1", "configmaps");
  const negotiated = negotiate(accept);
  if (kind === undefined || !negotiated.ok) throw new Error(accept);
  const path = { group: "", version: "v1", resource: "configmaps" };
  return { kind, path, negotiated: negotiated.value } as unknown as ResourceRequest;
}

const JSON_TYPE = "application/json";

async function answered(pages: string[][], fault?: Error): Promise<string> {
  const list = (async function* () {
    yield* pages;
    if (fault) throw fault;
  })();
  const answer = await streamedAnswer(requestFor(JSON_TYPE), {
    resourceVersion: 7,
    whole: false,
    pages: list,
  });
  return answer.text();
}

describe("a list that is sent as it is read", () => {
  it.each([
    ["one page", [["1", "2"]], [1, 2]],
    ["several", [["1"], ["2", "3"], ["4"]], [1, 2, 3, 4]],
    ["pages of which a selector left nothing", [[], ["1"], [], ["2"], []], [1, 2]],
    ["nothing at all", [[], []], []],
  ])("of %s is one JSON document", async (_, pages, items) => {
    expect(JSON.parse(await answered(pages))).toEqual({
      kind: "ConfigMapList",
      apiVersion: "v1",
      metadata: { resourceVersion: "7" },
      items,
    });
  });

  it("that breaks off is no answer", async () => {
    await expect(answered([["1"]], new Error("the state is gone"))).rejects.toThrow("the state is gone");
  });

  it("is plain JSON without a limit, and nothing else", () => {
    expect(isStreamed(requestFor(JSON_TYPE), 0)).toBe(true);
    expect(isStreamed(requestFor(JSON_TYPE), 1)).toBe(false);
    expect(isStreamed(requestFor("application/yaml"), 0)).toBe(false);
    expect(isStreamed(requestFor("application/json;as=Table;v=v1;g=meta.k8s.io"), 0)).toBe(false);
  });
});
