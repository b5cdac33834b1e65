import { describe, expect, test } from "vitest";
import { parseResourcePath } from "./resource-path.ts";

const path = (text: string) => parseResourcePath(text.split("/"));
const none = { namespace: undefined, name: undefined, subresource: undefined };

describe("a path", () => {
  test.each([
    ["api/v1/configmaps", { ...none, group: "", version: "v1", resource: "configmaps" }],
    ["api/v1/nodes/n", { ...none, group: "", version: "v1", resource: "nodes", name: "n" }],
    [
      "api/v1/namespaces/a/pods/p/status",
      { group: "", version: "v1", namespace: "a", resource: "pods", name: "p", subresource: "status" },
    ],
    [
      "apis/apps/v1/namespaces/a/replicasets",
      { ...none, group: "apps", version: "v1", namespace: "a", resource: "replicasets" },
    ],
    ["api/v1/namespaces", { ...none, group: "", version: "v1", resource: "namespaces" }],
    ["api/v1/namespaces/a", { ...none, group: "", version: "v1", resource: "namespaces", name: "a" }],
    [
      "api/v1/namespaces/a/finalize",
      { ...none, group: "", version: "v1", resource: "namespaces", name: "a", subresource: "finalize" },
    ],
    // A namespaced resource may be called like a subresource of Namespaces, in any other group.
    [
      "apis/example.com/v1/namespaces/a/status",
      { ...none, group: "example.com", version: "v1", namespace: "a", resource: "status" },
    ],
  ])("%s names what it says", (text, expected) => {
    expect(path(text)).toEqual(expected);
  });

  test.each([
    ["api"],
    ["api/v1"],
    ["apis"],
    ["apis/apps"],
    ["apis/apps/v1"],
    ["version"],
    ["api/v1/namespaces/a/pods/p/status/more"],
    ["api/v1//x"],
  ])("%s names no resource", (text) => {
    expect(path(text)).toBeUndefined();
  });
});
