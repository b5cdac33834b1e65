import { beforeAll, describe, expect, it } from "vitest";
import { makeCluster, makeToken } from "./cluster.ts";
import { call, startServer, type TestServer } from "./server.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
  return () => server.stop();
});

const post = (token: string | undefined, body: unknown, path = "/clusters") =>
  call(server.url, token, "POST", path, body);
const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const UNAUTHORIZED = { kind: "Status", status: "Failure", reason: "Unauthorized", code: 401 };

describe("POST /clusters", () => {
  it("makes a cluster that is ready, and shows its admin's token", async () => {
    const made = await post(server.rootToken, { name: "acme" });
    expect(made.code, made.text).toBe(201);
    expect(made.body).toEqual({ name: "acme", user: "admin", token: expect.stringMatching(/^[\w-]{43}$/) });

    const base = `${server.url}/clusters/acme`;
    const { body } = await call(base, made.body.token, "GET", "/api/v1/namespaces");
    expect(body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual([
      "default",
      "kube-node-lease",
      "kube-public",
      "kube-system",
    ]);
    const created = await call(base, made.body.token, "POST", CONFIG_MAPS, { metadata: { name: "x" } });
    expect(created.code).toBe(201);
  });

  it("is for the root token alone", async () => {
    const { token } = await makeCluster(server, "ordinary");
    for (const other of [undefined, "nobody", token, server.token]) {
      const answer = await post(other, { name: "mine" });
      expect(answer.body).toMatchObject(UNAUTHORIZED);
      expect(answer.code).toBe(401);
      expect((await call(server.url, other, "GET", "/clusters")).code).toBe(401);
    }
    const { body } = await call(server.url, server.rootToken, "GET", "/clusters");
    expect(body.items.map(({ name }: { name: string }) => name)).not.toContain("mine");
  });

  it("refuses a name that is taken, and leaves that cluster as it is", async () => {
    const { token, base } = await makeCluster(server, "taken");
    const again = await post(server.rootToken, { name: "taken" });
    expect(again.body).toMatchObject({
      kind: "Status",
      reason: "AlreadyExists",
      message: 'clusters "taken" already exists',
      code: 409,
    });
    expect(again.code).toBe(409);
    expect((await call(base, token, "GET", CONFIG_MAPS)).code).toBe(200);
  });

  it("gives one of many who ask at the same time the cluster", async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => post(server.rootToken, { name: "wanted" })),
    );
    const made = answers.filter(({ code }) => code === 201);
    expect(made).toHaveLength(1);
    expect(answers.filter(({ code }) => code === 409)).toHaveLength(7);
    const base = `${server.url}/clusters/wanted`;
    expect((await call(base, made[0]?.body.token, "GET", CONFIG_MAPS)).code).toBe(200);
  });

  it.each([
    "",
    "Upper",
    "under_score",
    "-dash",
    "dash-",
    "a.b",
    "a/b",
    "..",
    "ü",
    "x".repeat(64),
    5,
    null,
    ["a"],
  ])("refuses the name %j", async (name) => {
    const answer = await post(server.rootToken, { name });
    expect(answer.body, answer.text).toMatchObject({
      kind: "Status",
      status: "Failure",
      reason: "Invalid",
      code: 422,
      details: { group: "kubegc.dev", kind: "Cluster", causes: [{ field: "name" }] },
    });
    expect(answer.code).toBe(422);
  });

  it.each(["", "{", "{}", "[]", '"acme"'])("refuses the body %j", async (body) => {
    const answer = await post(server.rootToken, body);
    expect(answer.body).toMatchObject({ kind: "Status", reason: "BadRequest", code: 400 });
  });
});

describe("GET /clusters", () => {
  it("lists the clusters to the root token, without any secret", async () => {
    const { token } = await makeCluster(server, "listed");
    const { code, body, text } = await call(server.url, server.rootToken, "GET", "/clusters");
    expect(code).toBe(200);
    expect(body.items).toContainEqual({
      name: "listed",
      creationTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    });
    expect(text).not.toContain(token);
  });
});

describe("two clusters", () => {
  it("do not open to each other's tokens, and share nothing", async () => {
    const [one, two] = [await makeCluster(server, "one"), await makeCluster(server, "two")];
    await one.call("POST", CONFIG_MAPS, { metadata: { name: "only-in-one" } });
    for (const path of ["/api", "/api/v1/namespaces", `${CONFIG_MAPS}/only-in-one`, "/version/none"]) {
      expect((await call(one.base, two.token, "GET", path)).body).toMatchObject(UNAUTHORIZED);
      expect((await call(two.base, one.token, "GET", path)).body).toMatchObject(UNAUTHORIZED);
    }
    expect((await two.call("GET", CONFIG_MAPS)).body.items).toEqual([]);
    expect((await two.call("DELETE", CONFIG_MAPS)).code).toBe(200);
    expect((await one.call("GET", `${CONFIG_MAPS}/only-in-one`)).code).toBe(200);
  });

  it("know nothing of each other's owners", async () => {
    const [three, four] = [await makeCluster(server, "three"), await makeCluster(server, "four")];
    const { metadata } = (await three.call("POST", CONFIG_MAPS, { metadata: { name: "owner" } })).body;
    const owner = { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: metadata.uid };
    for (const cluster of [three, four]) {
      const dependent = { metadata: { name: "dependent", ownerReferences: [owner] } };
      expect((await cluster.call("POST", CONFIG_MAPS, dependent)).code).toBe(201);
    }
    const left = async () => {
      const found = [three, four].map((cluster) => cluster.call("GET", `${CONFIG_MAPS}/dependent`));
      return (await Promise.all(found)).map(({ code }) => code);
    };
    await expect.poll(left, { timeout: 10_000 }).toEqual([200, 404]);
    expect((await four.call("GET", "/api/v1/events")).body.items).toEqual([]);
  });
});

describe("a cluster that does not exist", () => {
  it("is not told from one that is closed", async () => {
    const base = `${server.url}/clusters/never-made`;
    for (const token of [undefined, server.token, server.rootToken]) {
      expect((await call(base, token, "GET", "/api")).body).toMatchObject(UNAUTHORIZED);
    }
  });
});

describe("POST /clusters/{cluster}/tokens", () => {
  const may = async (base: string, token: string) => {
    const answers = [
      await call(base, token, "GET", CONFIG_MAPS),
      await call(base, token, "GET", "/api/v1/namespaces/default/secrets"),
      await call(base, token, "POST", `${CONFIG_MAPS}?dryRun=All`, { metadata: { name: "x" } }),
      await call(base, token, "POST", "/api/v1/nodes?dryRun=All", { metadata: { name: "n" } }),
    ];
    return answers.map(({ code }) => code);
  };

  it.each([
    ["admin", [200, 200, 201, 201]],
    ["view", [200, 403, 403, 403]],
    ["node", [200, 200, 403, 201]],
  ])("gives a token for the role %s", async (role, allowed) => {
    const { base } = await makeCluster(server, `roles-${role}`);
    const token = await makeToken(server, `roles-${role}`, "somebody", role);
    expect(await may(base, token)).toEqual(allowed);
  });

  it("is for the cluster's admins and the root token", async () => {
    const { token } = await makeCluster(server, "guarded");
    const stranger = (await makeCluster(server, "strange")).token;
    const path = "/clusters/guarded/tokens";
    const wanted = { user: "ci", role: "view" };
    const made = await post(token, wanted, path);
    expect(made.code, made.text).toBe(201);
    expect(made.body).toEqual({ ...wanted, token: expect.stringMatching(/^[\w-]{43}$/) });
    for (const other of [undefined, "nobody", stranger]) {
      expect((await post(other, wanted, path)).body).toMatchObject(UNAUTHORIZED);
    }
    const refused = await post(made.body.token, { user: "ci", role: "admin" }, path);
    expect(refused.body).toMatchObject({ kind: "Status", reason: "Forbidden", code: 403 });
  });

  it.each([
    {},
    { user: "x" },
    { role: "view" },
    { user: "", role: "view" },
    { user: "x", role: "king" },
    { user: 5, role: "view" },
    { user: "x".repeat(300), role: "view" },
  ])("refuses %j", async (body) => {
    const answer = await post(server.rootToken, body, "/clusters/demo/tokens");
    expect(answer.body).toMatchObject({ kind: "Status", reason: "BadRequest", code: 400 });
    expect(answer.code).toBe(400);
  });
});
