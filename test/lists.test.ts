import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from "vitest";
import { type Answer, eventually, startServer, type TestServer } from "./server.ts";
import { openWatch, type Watch, type WatchedObject } from "./watch.ts";

const PATH = "/api/v1/namespaces/default/configmaps";

type Labelled = WatchedObject & { metadata: { labels?: Record<string, string> } };

const named = (number: number) => `c${String(number).padStart(4, "0")}`;
const body = (name: string, app: string) => ({
  metadata: { name, labels: { app } },
  data: { at: `${Date.now()}` },
});

/** `name@resourceVersion` of each, in the order of the list. */
const shown = (items: readonly WatchedObject[]) =>
  items.map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`);

async function fill(server: TestServer, count: number): Promise<void> {
  for (let i = 0; i < count; i += 50) {
    const names = Array.from({ length: Math.min(50, count - i) }, (_, j) => named(i + j));
    await Promise.all(names.map((name) => server.call("POST", PATH, body(name, "web"))));
  }
}

interface PagedList {
  resourceVersion: string;
  items: Labelled[];
  /** What each page said, in order. */
  pages: { resourceVersion: string; continue?: string; remainingItemCount?: number; count: number }[];
}

/** @param first what only the first page is asked: a token says the rest by itself. */
async function pageThrough(server: TestServer, query: string, first = ""): Promise<PagedList> {
  const list: PagedList = { resourceVersion: "", items: [], pages: [] };
  let token: string | undefined;
  do {
    const next = token === undefined ? first : `&continue=${token}`;
    const page = await server.call("GET", `${PATH}?${query}${next}`);
    expect(page.code, page.text).toBe(200);
    list.items.push(...page.body.items);
    list.pages.push({ ...page.body.metadata, count: page.body.items.length });
    list.resourceVersion ||= page.body.metadata.resourceVersion;
    token = page.body.metadata.continue;
  } while (token !== undefined);
  return list;
}

/** The state at a resourceVersion, from an earlier list and what a watch told since. */
function stateAt(version: number, from: readonly Labelled[], { events }: Watch): Labelled[] {
  const state = new Map(from.map((object) => [object.metadata.name, object]));
  for (const { type, object } of events) {
    if (Number(object.metadata.resourceVersion) > version) break;
    if (type === "DELETED") state.delete(object.metadata.name);
    else state.set(object.metadata.name, object);
  }
  return [...state.values()].toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

describe("a list that is read page by page while others write", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
    await fill(server, 400);
  });
  afterAll(() => server.stop());

  /** Creates, changes and deletes at random until it is told to stop. */
  async function keepWriting(stopped: () => boolean): Promise<void> {
    while (!stopped()) {
      const name = named(Math.floor(Math.random() * 600));
      const app = Math.random() < 0.5 ? "web" : "api";
      const made = await server.call("POST", PATH, body(name, app));
      if (made.code !== 409) continue;
      if (Math.random() < 0.5) await server.call("DELETE", `${PATH}/${name}`);
      else await server.call("PATCH", `${PATH}/${name}`, body(name, app), MERGE);
    }
  }
  const MERGE = { "content-type": "application/merge-patch+json" };

  it("shows the state at the first page's resourceVersion on all of them", async () => {
    const before = await server.call("GET", PATH);
    const watch = await openWatch(server, `${PATH}?resourceVersion=${before.body.metadata.resourceVersion}`);
    let stop = false;
    const writers = Array.from({ length: 4 }, () => keepWriting(() => stop));
    const plain: PagedList[] = [];
    const selected: PagedList[] = [];
    for (let round = 0; round < 5; round++) {
      plain.push(await pageThrough(server, "limit=50"));
      selected.push(await pageThrough(server, "limit=50&labelSelector=app%3Dweb"));
    }
    stop = true;
    await Promise.all(writers);
    await server.call("POST", PATH, body("z-last", "web"));
    await eventually(
      async () => watch.events.at(-1)?.object.metadata.name,
      (name) => name === "z-last",
    );
    watch.close();
    expect(watch.events.length).toBeGreaterThan(50);

    for (const list of [...plain, ...selected]) {
      expect(list.pages.every((page) => page.resourceVersion === list.resourceVersion)).toBe(true);
    }
    for (const list of plain) {
      const state = stateAt(Number(list.resourceVersion), before.body.items, watch);
      expect(shown(list.items)).toEqual(shown(state));
      let left = state.length;
      for (const page of list.pages) {
        left -= page.count;
        expect(page.remainingItemCount ?? 0).toBe(left);
      }
    }
    for (const list of selected) {
      const state = stateAt(Number(list.resourceVersion), before.body.items, watch);
      expect(shown(list.items)).toEqual(
        shown(state.filter(({ metadata }) => metadata.labels?.app === "web")),
      );
      expect(list.pages.every((page) => page.remainingItemCount === undefined)).toBe(true);
      for (const page of list.pages.slice(0, -1)) expect(page.count).toBe(50);
    }
  });

  it("can be shown again as it was then", async () => {
    const before = await server.call("GET", PATH);
    const version = before.body.metadata.resourceVersion;
    for (const name of [named(1), named(2)]) await server.call("DELETE", `${PATH}/${name}`);
    await server.call("POST", PATH, body("new", "web"));
    const exact = await server.call("GET", `${PATH}?resourceVersion=${version}&resourceVersionMatch=Exact`);
    expect(exact.body).toEqual(before.body);
    const paged = await pageThrough(server, "limit=100", `&resourceVersion=${version}`);
    expect(shown(paged.items)).toEqual(shown(before.body.items));
    const newer = await server.call("GET", `${PATH}?resourceVersion=${version}`);
    expect(shown(newer.body.items)).toContainEqual(expect.stringMatching(/^new@/));
  });

  test.each([
    ["resourceVersionMatch=Exact", "resourceVersionMatch is forbidden unless resourceVersion is provided"],
    [
      "watch=1&sendInitialEvents=true",
      "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
    ],
  ])("refuses %s as Invalid", async (query, why) => {
    const answer = await server.call("GET", `${PATH}?${query}`);
    expect(answer.code).toBe(422);
    expect(answer.body).toMatchObject({
      reason: "Invalid",
      message: `ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: ${why}`,
      details: {
        group: "meta.k8s.io",
        kind: "ListOptions",
        causes: [{ reason: "FieldValueForbidden", field: "resourceVersionMatch" }],
      },
    });
  });

  test.each([
    ["a list", PATH],
    ["an exact list", `${PATH}?resourceVersionMatch=Exact`],
    ["a get", `${PATH}/c0003`],
    ["initial events", `${PATH}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`],
  ])("does not wait for a resourceVersion that is yet to come: %s", async (_, path) => {
    const query = `${path.includes("?") ? "&" : "?"}resourceVersion=99999999`;
    const answer = await server.call("GET", `${path}${query}`);
    expect(answer.code).toBe(504);
    expect(answer.body.message).toMatch(/^Timeout: Too large resource version: 99999999, current: \d+$/);
    expect(answer.body.details.causes).toEqual([
      { reason: "ResourceVersionTooLarge", message: "Too large resource version" },
    ]);
  });
});

describe("a watch", () => {
  let server: TestServer;
  let watches: Watch[];
  beforeAll(async () => {
    server = await startServer();
    await fill(server, 3);
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    watches = [];
  });
  afterEach(() => {
    for (const watch of watches) watch.close();
  });

  const root = "/api/v1";
  const inDefault = `${root}/watch/namespaces/default`;
  test.each([
    ["of one object", `${PATH}/c0001?resourceVersion=`, ["c0001"]],
    ["of one object by a path of its own", `${inDefault}/configmaps/c0001?resourceVersion=`, ["c0001"]],
    [
      "of a namespace by a path of its own",
      `${inDefault}/configmaps?watch=0&resourceVersion=`,
      ["c0001", "c0002"],
    ],
    [
      "of all namespaces by a path of its own",
      `${root}/watch/configmaps?resourceVersion=`,
      ["c0001", "c0002"],
    ],
    [
      "without initial events",
      `${PATH}?sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=`,
      ["c0001", "c0002"],
    ],
  ])("%s tells what happens to it", async (_, path, names) => {
    const { body: list } = await server.call("GET", PATH);
    const isFromNow = path.includes("sendInitialEvents");
    const watch = await openWatch(server, `${path}${isFromNow ? "" : list.metadata.resourceVersion}`);
    watches.push(watch);
    for (const name of ["c0001", "c0002"]) {
      await server.call(
        "PATCH",
        `${PATH}/${name}`,
        { data: { at: `${Date.now()}` } },
        {
          "content-type": "application/merge-patch+json",
        },
      );
    }
    const told = () => watch.events.map(({ type, object }) => `${type} ${object.metadata.name}`);
    const expected = names.map((name) => `MODIFIED ${name}`);
    await eventually(
      async () => told(),
      (events) => events.length >= expected.length,
    );
    expect(told()).toEqual(expected);
  });

  it("of one object cannot be asked for another one", async () => {
    const answer = await server.call("GET", `${PATH}/c0001?watch=1&fieldSelector=metadata.name%3Dc0002`);
    expect(answer.code).toBe(400);
    expect(answer.body.message).toBe("fieldSelector metadata.name doesn't match requested name");
  });

  it("has paths on which nothing else is done", async () => {
    expect((await server.call("POST", `${inDefault}/configmaps`, body("x", "web"))).code).toBe(405);
    expect((await server.call("GET", `${inDefault}/nothings`)).code).toBe(404);
  });
});

describe("after history was compacted", () => {
  let server: TestServer;
  let dataDir: string;
  /** From before: a version, and the token of a list's second page. */
  let version: string;
  let token: string;
  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), "kubegc-lists-"));
    const first = await startServer({ dataDir });
    await fill(first, 30);
    const page = await first.call("GET", `${PATH}?limit=10`);
    ({ resourceVersion: version, continue: token } = page.body.metadata);
    await first.call("DELETE", `${PATH}/${named(20)}`);
    await first.call("POST", PATH, body("d", "web"));
    await first.stop();
    // Cron runs when a server starts, and now nothing that was replaced is kept.
    server = await startServer({ dataDir, vars: { CHANGES_KEPT_SECONDS: "0", CHANGES_KEPT_COUNT: "0" } });
    await eventually(
      () => server.call("GET", `${PATH}?limit=10&continue=${token}`),
      ({ code }: Answer) => code === 410,
    );
  });
  afterAll(async () => {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it("a list goes on in the newest state, if the client wants that", async () => {
    const refused = await server.call("GET", `${PATH}?limit=10&continue=${token}`);
    expect(refused.body).toMatchObject({ kind: "Status", reason: "Expired", code: 410 });
    expect(refused.body.message).toMatch(
      /^The provided continue parameter is too old to display a consistent/,
    );
    const rest = await pageThrough(server, "limit=10", `&continue=${refused.body.metadata.continue}`);
    const expected = Array.from({ length: 20 }, (_, i) => named(i + 10)).filter((name) => name !== named(20));
    expect(rest.items.map(({ metadata }) => metadata.name)).toEqual([...expected, "d"]);
    expect(Number(rest.resourceVersion)).toBeGreaterThan(Number(version));
  });

  it("a list of an old state is refused", async () => {
    const query = `resourceVersion=${version}&resourceVersionMatch=Exact`;
    const refused = await server.call("GET", `${PATH}?${query}`);
    expect(refused.code).toBe(410);
    expect(refused.body).toMatchObject({
      reason: "Expired",
      message: "The resourceVersion for the provided list is too old.",
    });
  });

  it("a watch from an old version is told so", async () => {
    const watch = await openWatch(server, `${PATH}?resourceVersion=${version}`);
    const [event] = await eventually(
      async () => watch.events,
      (events) => events.length > 0,
    );
    expect(event).toMatchObject({ type: "ERROR", object: { reason: "Expired", code: 410 } });
    watch.close();
  });

  it("the newest state is whole", async () => {
    const list = await server.call("GET", PATH);
    const exact = await server.call(
      "GET",
      `${PATH}?resourceVersion=${list.body.metadata.resourceVersion}&resourceVersionMatch=Exact`,
    );
    expect(exact.body).toEqual(list.body);
    expect(list.body.items.length).toBe(30);
  });
});
