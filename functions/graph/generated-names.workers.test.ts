import { afterEach, expect, it, vi } from "vitest";
import { kindOf } from "./decide/decide.fixture.ts";
import { create, NAMESPACE_GRAPH, TestCluster } from "./graph.fixture.ts";
import { graphName } from "./graph-name.ts";
import type { MutationRequest } from "./request.ts";

const configMap = kindOf("configmaps");

afterEach(() => vi.restoreAllMocks());

/** The first so many suffixes are all the same. */
function luck(same: number): void {
  let drawn = 0;
  const suffix = 5;
  vi.spyOn(Math, "random").mockImplementation(() => (drawn++ < same * suffix ? 0 : 0.5));
}

const generating = (): MutationRequest => ({
  ...create(configMap, { name: "" }),
  mutation: {
    verb: "create",
    text: JSON.stringify({ metadata: { generateName: "gen-" } }),
    mediaType: "application/json",
  },
});

async function team() {
  const cluster = await TestCluster.create(["team"]);
  return { cluster, graph: NAMESPACE_GRAPH.getByName(graphName(cluster.id, "team")) };
}

it("another name is made up when the first ones are taken", async () => {
  const { cluster, graph } = await team();
  luck(8);
  expect(await graph.mutate([generating()])).toMatchObject([{ ok: true, code: 201 }]);
  expect(await graph.mutate([generating()])).toMatchObject([{ ok: true, code: 201 }]);
  expect(await cluster.left()).toEqual(["team/configmaps/gen-bbbbb", "team/configmaps/gen-rrrrr"]);
});

it("eight names are tried", async () => {
  const { graph } = await team();
  luck(9);
  expect(await graph.mutate([generating()])).toMatchObject([{ ok: true }]);
  expect(await graph.mutate([generating()])).toMatchObject([
    { ok: false, failure: { reason: "AlreadyExists", name: "gen-bbbbb", generated: true } },
  ]);
});

it("a name that was sent is not replaced", async () => {
  const { graph } = await team();
  const request = create(configMap, { name: "mine" });
  expect(await graph.mutate([request])).toMatchObject([{ ok: true }]);
  const [reply] = await graph.mutate([request]);
  expect(reply).toMatchObject({ ok: false, failure: { reason: "AlreadyExists", name: "mine" } });
});
