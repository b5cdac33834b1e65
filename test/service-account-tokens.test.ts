import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makeCluster, makeToken, type TestCluster } from "./cluster.ts";
import { type Answer, call, eventually, startServer, type TestServer } from "./server.ts";

/*
 * Tokens of ServiceAccounts, as `kubectl create token` and a kube-controller-manager with
 * `--use-service-account-credentials` ask for them.
 */

const ACCOUNTS = "/api/v1/namespaces/default/serviceaccounts";
const REVIEW = "/apis/authentication.k8s.io/v1/selfsubjectreviews";

let server: TestServer;
let cluster: TestCluster;
let clusters = 0;

beforeAll(async () => {
  server = await startServer();
  return async () => {
    await server.stop();
  };
});
beforeEach(async () => {
  cluster = await makeCluster(server, `accounts-${clusters++}`);
});

const account = (name: string, metadata: object = {}, where = "default"): Promise<Answer> =>
  cluster.call("POST", `/api/v1/namespaces/${where}/serviceaccounts`, { metadata: { name, ...metadata } });

const asked = (name: string, spec: object = {}, where = "default"): Promise<Answer> =>
  cluster.call("POST", `/api/v1/namespaces/${where}/serviceaccounts/${name}/token`, {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec,
  });

const withToken = (token: string, method: string, path: string, body?: unknown): Promise<Answer> =>
  call(cluster.base, token, method, path, body);

const code = async (token: string): Promise<number> =>
  (await withToken(token, "GET", "/api/v1/namespaces/default/configmaps")).code;

describe("a token of a ServiceAccount", () => {
  it("is found by discovery, as client-go looks for it", async () => {
    const { body } = await cluster.call("GET", "/api/v1");
    expect(body.resources).toContainEqual({
      name: "serviceaccounts/token",
      singularName: "",
      namespaced: true,
      group: "authentication.k8s.io",
      version: "v1",
      kind: "TokenRequest",
      verbs: ["create"],
    });
  });

  it("passes as the account, for an hour", async () => {
    await account("app");
    const before = Date.now();
    const { code: answered, body } = await asked("app");
    expect(answered).toBe(201);
    expect(body).toMatchObject({
      kind: "TokenRequest",
      apiVersion: "authentication.k8s.io/v1",
      metadata: { name: "app", namespace: "default" },
      spec: { audiences: ["https://kubernetes.default.svc"], expirationSeconds: 3600 },
    });
    const lifetime = Date.parse(body.status.expirationTimestamp) - before;
    expect(Math.abs(lifetime - 3_600_000)).toBeLessThan(60_000);
    const review = await withToken(body.status.token, "POST", REVIEW, {
      apiVersion: "authentication.k8s.io/v1",
      kind: "SelfSubjectReview",
    });
    expect(review.body.status.userInfo).toEqual({
      username: "system:serviceaccount:default:app",
      groups: ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"],
    });
  });

  it("may look but not touch, and sees no Secrets; in kube-system it may everything", async () => {
    await account("app");
    await account("controller", {}, "kube-system");
    const { token: app } = (await asked("app")).body.status;
    const { token: controller } = (await asked("controller", {}, "kube-system")).body.status;
    const map = { metadata: { name: "m" } };
    expect((await withToken(app, "POST", "/api/v1/namespaces/default/configmaps", map)).code).toBe(403);
    expect((await withToken(app, "GET", "/api/v1/namespaces/default/secrets")).code).toBe(403);
    expect((await withToken(app, "POST", `${ACCOUNTS}/app/token`, {})).code).toBe(403);
    expect((await withToken(controller, "POST", "/api/v1/namespaces/default/configmaps", map)).code).toBe(
      201,
    );
  });

  it("has the role that the account's annotation names", async () => {
    await account("deployer", { annotations: { "gc.kubegc.dev/role": "admin" } });
    const { token } = (await asked("deployer")).body.status;
    expect((await withToken(token, "GET", "/api/v1/namespaces/default/secrets")).code).toBe(200);
  });

  it("passes in no other cluster", async () => {
    await account("app");
    const { token } = (await asked("app")).body.status;
    const other = await makeCluster(server, `accounts-other-${clusters++}`);
    expect((await call(other.base, token, "GET", "/api/v1/namespaces")).code).toBe(401);
  });

  it("ends with the account, also when another one takes its name", async () => {
    await account("app");
    const { token } = (await asked("app")).body.status;
    expect(await code(token)).toBe(200);
    await cluster.call("DELETE", `${ACCOUNTS}/app`);
    await account("app");
    await eventually(
      () => code(token),
      (answered) => answered === 401,
    );
  });

  it("ends with the Pod that it is bound to", async () => {
    await account("app");
    const pods = "/api/v1/namespaces/default/pods";
    const spec = { serviceAccountName: "app", containers: [{ name: "c", image: "i" }] };
    const pod = await cluster.call("POST", pods, { metadata: { name: "p" }, spec });
    const boundObjectRef = { kind: "Pod", apiVersion: "v1", name: "p", uid: pod.body.metadata.uid };
    const { token } = (await asked("app", { boundObjectRef })).body.status;
    expect(await code(token)).toBe(200);
    await cluster.call("DELETE", `${pods}/p?gracePeriodSeconds=0`);
    await eventually(
      () => code(token),
      (answered) => answered === 401,
    );
  });

  it("is not made without an account, for strangers, or for less than ten minutes", async () => {
    await account("app");
    expect((await asked("nobody")).code).toBe(404);
    expect((await asked("app", { audiences: ["vault"] })).code).toBe(422);
    expect((await asked("app", { expirationSeconds: 60 })).body.message).toContain(
      "may not specify a duration less than 10 minutes",
    );
    const ghost = { kind: "Pod", apiVersion: "v1", name: "ghost" };
    expect((await asked("app", { boundObjectRef: ghost })).code).toBe(404);
    const viewer = await makeToken(server, cluster.name, "reader", "view");
    expect((await withToken(viewer, "POST", `${ACCOUNTS}/app/token`, {})).code).toBe(403);
    const node = await makeToken(server, cluster.name, "system:node:n1", "node");
    expect((await withToken(node, "POST", `${ACCOUNTS}/app/token`, {})).code).toBe(403);
  });
});
