import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { makeCluster, makeToken, type TestCluster } from "./cluster.ts";
import { contentsOf } from "./contents.ts";
import { call, startServer, type TestServer } from "./server.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const JSON_BODY = "application/json";
const MERGE = "application/merge-patch+json";
const STRATEGIC = "application/strategic-merge-patch+json";
const JSON_PATCH = "application/json-patch+json";

let server: TestServer;
let cluster: TestCluster;
/** What there is, and the newest resourceVersion: nothing can be written without another one. */
let before: { contents: Map<string, unknown>; resourceVersion: string };
const tokens = new Map<string, string>();

beforeAll(async () => {
  server = await startServer();
  cluster = await makeCluster(server, "careful");
  for (const role of ["view", "node"]) {
    tokens.set(role, await makeToken(server, "careful", `a-${role}`, role));
  }
  const empty = await newest();
  const make = async (path: string, body: object) => {
    const made = await cluster.call("POST", path, body);
    expect(made.code, made.text).toBe(201);
    return made.body.metadata;
  };
  const { uid } = await make(CONFIG_MAPS, { metadata: { name: "kept" }, data: { k: "v" } });
  const owner = { apiVersion: "v1", kind: "ConfigMap", name: "kept", uid };
  await make("/api/v1/namespaces/default/secrets", {
    metadata: { name: "dependent", ownerReferences: [owner] },
  });
  await make("/api/v1/nodes", { metadata: { name: "n1" } });
  await make("/api/v1/namespaces/default/pods", {
    metadata: { name: "p" },
    spec: { nodeName: "n1", containers: [{ name: "c", image: "nginx" }] },
  });
  before = { contents: await contentsOf(cluster), resourceVersion: await newest() };
  expect(before.resourceVersion).not.toBe(empty);
  expect([...before.contents.keys()]).toContain("/api/v1/configmaps/default/kept");
  return () => server.stop();
});

afterEach(async () => expect(await newest()).toBe(before.resourceVersion));
afterAll(async () => expect(await contentsOf(cluster)).toEqual(before.contents));

async function newest(): Promise<string> {
  return (await cluster.call("GET", "/api/v1/configmaps?limit=1")).body.metadata.resourceVersion;
}

type Sent = [method: string, path: string, body?: string | object | undefined, contentType?: string];

interface Case {
  what: string;
  request: Sent;
  code: number;
  reason?: string;
  message: string | RegExp;
}

const kept = `${CONFIG_MAPS}/kept`;

async function expectRefused({ request, code, reason, message }: Case, token = cluster.token): Promise<void> {
  const [method, path, body, contentType = JSON_BODY] = request;
  const headers: Record<string, string> = body === undefined ? {} : { "content-type": contentType };
  const answer = await call(cluster.base, token, method, path, body, headers);
  expect(answer.body, answer.text).toMatchObject({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: typeof message === "string" ? message : expect.stringMatching(message),
    code,
  });
  expect(answer.body.reason).toBe(reason);
  expect(answer.code).toBe(code);
  expect(answer.headers.get("content-type")).toBe("application/json");
}

const bad = { code: 400, reason: "BadRequest" };
const notFound = { code: 404, reason: "NotFound" };
const invalid = { code: 422, reason: "Invalid" };
const conflict = { code: 409, reason: "Conflict" };
const unsupported = { code: 415, reason: "UnsupportedMediaType" };
const notAllowed = { code: 405, reason: "MethodNotAllowed" };
const stale =
  'Operation cannot be fulfilled on configmaps "kept": the object has been modified; please apply your changes to the latest version and try again';

const malformed: Case[] = [
  {
    what: "a create whose JSON ends too early",
    request: ["POST", CONFIG_MAPS, '{"metadata":'],
    ...bad,
    message: `the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: unexpected end of JSON input ({"metadata":)`,
  },
  {
    what: "a create without a body",
    request: ["POST", CONFIG_MAPS, ""],
    ...bad,
    message: /^the object provided is unrecognized \(must be of type ConfigMap\): /,
  },
  {
    what: "a create of a list",
    request: ["POST", CONFIG_MAPS, "[]"],
    ...bad,
    message: /^the object provided is unrecognized \(must be of type ConfigMap\): /,
  },
  {
    what: "an update that is no JSON",
    request: ["PUT", kept, "{nope}"],
    ...bad,
    message: /^the object provided is unrecognized \(must be of type ConfigMap\): .*invalid character 'n' /,
  },
  {
    what: "a body nested beyond all reason",
    request: ["POST", CONFIG_MAPS, `{"data":${"[".repeat(100_000)}`],
    ...bad,
    message: /exceeded max depth/,
  },
  {
    what: "metadata of the wrong type",
    request: ["POST", CONFIG_MAPS, { metadata: "m" }],
    ...bad,
    message: /^ConfigMap in version "v1" cannot be handled as a ConfigMap: /,
  },
  {
    what: "a strategic merge patch that is no JSON",
    request: ["PATCH", kept, "{", STRATEGIC],
    ...bad,
    message: /unexpected end of JSON input$/,
  },
  {
    what: "a merge patch that is no JSON",
    request: ["PATCH", kept, "{", MERGE],
    ...bad,
    message: "error decoding patch: unexpected end of JSON input",
  },
  {
    what: "a JSON patch that is no JSON",
    request: ["PATCH", kept, "[{", JSON_PATCH],
    ...bad,
    message: "error decoding patch: unexpected end of JSON input",
  },
  {
    what: "a DELETE whose options are no JSON",
    request: ["DELETE", kept, "{"],
    code: 500,
    message: "couldn't get version/kind; json parse error: unexpected end of JSON input",
  },
  {
    what: "a path that is not valid percent-encoding",
    request: ["GET", `${CONFIG_MAPS}/%zz`],
    ...bad,
    message: /./,
  },
];

const POD = "/api/v1/namespaces/default/pods/p";

const illTyped: Case[] = [
  {
    what: "a Deployment whose replicas are text",
    request: [
      "POST",
      "/apis/apps/v1/namespaces/default/deployments",
      { metadata: { name: "d" }, spec: { replicas: "3" } },
    ],
    ...bad,
    message:
      'Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
  },
  {
    what: "a dry run of a Pod in YAML whose variable is a boolean",
    request: [
      "POST",
      "/api/v1/namespaces/default/pods?dryRun=All",
      "metadata: {name: q}\nspec: {containers: [{name: c, env: [{name: A, value: yes}]}]}",
      "application/yaml",
    ],
    ...bad,
    message:
      'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal bool into Go struct field EnvVar.spec.containers.env.value of type string',
  },
  {
    what: "an update with an amount that is none",
    request: [
      "PUT",
      POD,
      { metadata: { name: "p" }, spec: { containers: [{ resources: { limits: { cpu: "much" } } }] } },
    ],
    ...bad,
    message: /^Pod in version "v1" cannot be handled as a Pod: quantities must match the regular expression /,
  },
  {
    what: "a status with a time that is none",
    request: ["PUT", `${POD}/status`, { metadata: { name: "p" }, status: { startTime: "soon" } }],
    ...bad,
    message:
      /^Pod in version "v1" cannot be handled as a Pod: parsing time "soon" as "2006-01-02T15:04:05Z07:00": /,
  },
  ...([MERGE, STRATEGIC] as const).map((type) => ({
    what: `a patch that makes text of a number, as ${type}`,
    request: ["PATCH", POD, { spec: { activeDeadlineSeconds: "60" } }, type] satisfies Sent,
    ...invalid,
    message:
      /patch: Invalid value: .*: json: cannot unmarshal string into Go struct field PodSpec\.spec\.activeDeadlineSeconds of type int64$/,
  })),
  {
    what: "an apply of an object where a list belongs",
    request: [
      "PATCH",
      "/api/v1/namespaces/default/services/s?fieldManager=m",
      { apiVersion: "v1", kind: "Service", metadata: { name: "s" }, spec: { externalIPs: {} } },
      "application/apply-patch+yaml",
    ],
    ...invalid,
    message:
      /patch: Invalid value: .*: json: cannot unmarshal object into Go struct field ServiceSpec\.spec\.externalIPs of type \[\]string$/,
  },
];

const mistaken: Case[] = [
  {
    what: "a media type that nobody reads",
    request: ["POST", CONFIG_MAPS, "x", "text/plain"],
    ...unsupported,
    message: /^the body of the request was in an unknown format - accepted media types include: /,
  },
  {
    what: "a patch of no type",
    request: ["PATCH", kept, { data: { k: "w" } }],
    ...unsupported,
    message: "415: Unsupported Media Type",
  },
  {
    what: "a kind that there is not",
    request: ["POST", CONFIG_MAPS, { apiVersion: "v1", kind: "Nope", metadata: { name: "x" } }],
    ...bad,
    message:
      /^Nope in version "v1" cannot be handled as a ConfigMap: no kind "Nope" is registered for version "v1"/,
  },
  {
    what: "a kind that does not belong there",
    request: ["POST", CONFIG_MAPS, { apiVersion: "v1", kind: "Secret", metadata: { name: "x" } }],
    ...bad,
    message:
      'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
  },
  {
    what: "a resource that there is not",
    request: ["POST", "/api/v1/namespaces/default/nopes", { metadata: { name: "x" } }],
    ...notFound,
    message: "the server could not find the requested resource",
  },
  {
    what: "a subresource that there is not",
    request: ["PUT", `${kept}/nope`, { metadata: { name: "kept" } }],
    ...notFound,
    message: "the server could not find the requested resource",
  },
  {
    what: "a method that does nothing there",
    request: ["PUT", CONFIG_MAPS, { metadata: { name: "kept" } }],
    ...notAllowed,
    message: "the server does not allow this method on the requested resource",
  },
  {
    what: "a deletion of all namespaces",
    request: ["DELETE", "/api/v1/namespaces"],
    ...notAllowed,
    message: "the server does not allow this method on the requested resource",
  },
  {
    what: "a namespace that there is not",
    request: ["POST", "/api/v1/namespaces/absent/configmaps", { metadata: { name: "x" } }],
    ...notFound,
    message: 'namespaces "absent" not found',
  },
  {
    what: "a namespace whose name none can have",
    request: ["POST", `/api/v1/namespaces/${"n".repeat(3000)}/configmaps`, { metadata: { name: "x" } }],
    ...notFound,
    message: /^namespaces "n+" not found$/,
  },
  {
    what: "a DELETE in a namespace whose name none can have",
    request: ["DELETE", `/api/v1/namespaces/${"n".repeat(3000)}/configmaps/x`],
    ...notFound,
    message: 'configmaps "x" not found',
  },
  {
    what: "an update under another name",
    request: ["PUT", kept, { metadata: { name: "other" } }],
    ...bad,
    message: "the name of the object (other) does not match the name on the URL (kept)",
  },
  {
    what: "an update in another namespace",
    request: ["PUT", kept, { metadata: { name: "kept", namespace: "kube-system" } }],
    ...bad,
    message:
      "the namespace of the object (kube-system) does not match the namespace on the request (default)",
  },
  {
    what: "a name that is none",
    request: ["POST", CONFIG_MAPS, { metadata: { name: "No_Name" } }],
    ...invalid,
    message:
      /^ConfigMap "No_Name" is invalid: metadata.name: Invalid value: "No_Name": a lowercase RFC 1123 /,
  },
  {
    what: "an object that is there already",
    request: ["POST", CONFIG_MAPS, { metadata: { name: "kept" } }],
    code: 409,
    reason: "AlreadyExists",
    message: 'configmaps "kept" already exists',
  },
  {
    what: "an update of what is not there",
    request: ["PUT", `${CONFIG_MAPS}/absent`, { metadata: { name: "absent" } }],
    ...notFound,
    message: 'configmaps "absent" not found',
  },
  {
    what: "an update from a stale resourceVersion",
    request: ["PUT", kept, { metadata: { name: "kept", resourceVersion: "1" }, data: {} }],
    ...conflict,
    message: stale,
  },
  {
    what: "a patch from a stale resourceVersion",
    request: ["PATCH", kept, { metadata: { resourceVersion: "1" }, data: { k: "w" } }, MERGE],
    ...conflict,
    message: stale,
  },
  {
    what: "a DELETE of a stale resourceVersion",
    request: ["DELETE", kept, { preconditions: { resourceVersion: "1" } }],
    ...conflict,
    message:
      /^Operation cannot be fulfilled on ConfigMap "kept": the ResourceVersion in the precondition \(1\) does not /,
  },
  {
    what: "a DELETE with an unknown policy",
    request: ["DELETE", kept, { propagationPolicy: "Sideways" }],
    ...invalid,
    message: /^DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Sideways"/,
  },
  {
    what: "a deletion of many with a selector that is none",
    request: ["DELETE", `${CONFIG_MAPS}?labelSelector=a%3D%3D%3Db`],
    ...bad,
    message: "unable to parse requirement: found '=', expected: identifier",
  },
  {
    what: "a deletion of many with a field that cannot be selected by",
    request: ["DELETE", `${CONFIG_MAPS}?fieldSelector=spec.x%3D1`],
    ...bad,
    message: '"spec.x" is not a known field selector: only "metadata.name", "metadata.namespace"',
  },
];

describe("changes nothing and says what is wrong with", () => {
  it.each([...malformed, ...illTyped, ...mistaken])("$what", (each) => expectRefused(each));
});

describe("a body over 3 MiB", () => {
  const huge = JSON.stringify({ metadata: { name: "huge" }, data: { k: "x".repeat(3 * 1024 * 1024) } });
  const tooLarge = {
    code: 413,
    reason: "RequestEntityTooLarge",
    message: "Request entity too large: limit is 3145728",
  };

  it.each<Case>([
    { what: "a create", request: ["POST", CONFIG_MAPS, huge], ...tooLarge },
    { what: "an update", request: ["PUT", kept, huge], ...tooLarge },
    { what: "a patch", request: ["PATCH", kept, huge, MERGE], ...tooLarge },
    { what: "the options of a DELETE", request: ["DELETE", kept, huge], ...tooLarge },
  ])("is refused as $what", (each) => expectRefused(each));

  it("is refused when it does not say how long it is", async () => {
    const response = await fetch(cluster.base + CONFIG_MAPS, {
      method: "POST",
      headers: { authorization: `Bearer ${cluster.token}`, "content-type": JSON_BODY },
      body: new Blob([huge]).stream(),
      duplex: "half",
    } as RequestInit);
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ kind: "Status", ...tooLarge });
  });
});

describe("without a token of the cluster", () => {
  const requests: Sent[] = [
    ["GET", kept],
    ["GET", "/api"],
    ["POST", CONFIG_MAPS, { metadata: { name: "x" } }],
    ["PATCH", kept, { data: { k: "w" } }],
    ["DELETE", kept],
    ["DELETE", CONFIG_MAPS],
    ["GET", "/apis/nope.example.com/v1/things"],
  ];
  const unauthorized = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: "Unauthorized",
    reason: "Unauthorized",
    code: 401,
  };
  const authorizations: [string, Record<string, string>][] = [
    ["no token", {}],
    ["a token that is none", { authorization: "Bearer nobody" }],
    ["an empty token", { authorization: "Bearer " }],
    ["a password", { authorization: `Basic ${Buffer.from("admin:admin").toString("base64")}` }],
  ];

  it.each(authorizations)("%s gets 401 for whatever is asked", async (_, headers) => {
    for (const [method, path, body] of requests) {
      const answer = await call(cluster.base, undefined, method, path, body, headers);
      expect(answer.body, `${method} ${path}`).toEqual(unauthorized);
      expect(answer.code).toBe(401);
    }
  });
});

describe("the role", () => {
  const inDefault = 'in API group "" in the namespace "default"';
  const named = { metadata: { name: "x" } };

  /** What is refused, and in which words but for the user's name. */
  const viewMayNot: [...Sent, message: string][] = [
    [
      "POST",
      CONFIG_MAPS,
      named,
      JSON_BODY,
      `configmaps is forbidden: cannot create resource "configmaps" ${inDefault}`,
    ],
    [
      "PUT",
      kept,
      named,
      JSON_BODY,
      `configmaps "kept" is forbidden: cannot update resource "configmaps" ${inDefault}`,
    ],
    [
      "PATCH",
      kept,
      {},
      MERGE,
      `configmaps "kept" is forbidden: cannot patch resource "configmaps" ${inDefault}`,
    ],
    [
      "DELETE",
      kept,
      {},
      JSON_BODY,
      `configmaps "kept" is forbidden: cannot delete resource "configmaps" ${inDefault}`,
    ],
    [
      "DELETE",
      CONFIG_MAPS,
      {},
      JSON_BODY,
      `configmaps is forbidden: cannot deletecollection resource "configmaps" ${inDefault}`,
    ],
    [
      "PATCH",
      "/api/v1/namespaces/default/pods/p/status",
      {},
      MERGE,
      `pods "p" is forbidden: cannot patch resource "pods/status" ${inDefault}`,
    ],
    [
      "DELETE",
      "/apis/apps/v1/namespaces/default/replicasets/r",
      {},
      JSON_BODY,
      'replicasets.apps "r" is forbidden: cannot delete resource "replicasets" in API group "apps" in the namespace "default"',
    ],
    [
      "DELETE",
      "/api/v1/nodes/n1",
      {},
      JSON_BODY,
      'nodes "n1" is forbidden: cannot delete resource "nodes" in API group "" at the cluster scope',
    ],
    [
      "DELETE",
      "/api/v1/namespaces/default",
      {},
      JSON_BODY,
      `namespaces "default" is forbidden: cannot delete resource "namespaces" ${inDefault}`,
    ],
    [
      "GET",
      "/api/v1/namespaces/default/secrets/dependent",
      undefined,
      JSON_BODY,
      `secrets "dependent" is forbidden: cannot get resource "secrets" ${inDefault}`,
    ],
    [
      "GET",
      "/api/v1/secrets",
      undefined,
      JSON_BODY,
      'secrets is forbidden: cannot list resource "secrets" in API group "" at the cluster scope',
    ],
    [
      "GET",
      "/api/v1/namespaces/default/secrets?watch=1",
      undefined,
      JSON_BODY,
      `secrets is forbidden: cannot watch resource "secrets" ${inDefault}`,
    ],
  ];
  const nodeMayNot: [...Sent, message: string][] = [
    [
      "DELETE",
      kept,
      {},
      JSON_BODY,
      `configmaps "kept" is forbidden: cannot delete resource "configmaps" ${inDefault}`,
    ],
    [
      "POST",
      CONFIG_MAPS,
      named,
      JSON_BODY,
      `configmaps is forbidden: cannot create resource "configmaps" ${inDefault}`,
    ],
    [
      "DELETE",
      "/api/v1/nodes/n1",
      {},
      JSON_BODY,
      'nodes "n1" is forbidden: cannot delete resource "nodes" in API group "" at the cluster scope',
    ],
    [
      "PATCH",
      "/api/v1/namespaces/default/secrets/dependent",
      {},
      MERGE,
      `secrets "dependent" is forbidden: cannot patch resource "secrets" ${inDefault}`,
    ],
    [
      "PUT",
      "/api/v1/namespaces/default/pods/p",
      { metadata: { name: "p" } },
      JSON_BODY,
      `pods "p" is forbidden: cannot update resource "pods" ${inDefault}`,
    ],
  ];

  const refused = [
    ...viewMayNot.map((each) => ["view", ...each] as const),
    ...nodeMayNot.map((each) => ["node", ...each] as const),
  ];
  it.each(refused)("%s may not %s %s", (role, method, path, body, contentType = JSON_BODY, message = "") =>
    expectRefused(
      {
        what: "",
        request: [method, path, body, contentType],
        code: 403,
        reason: "Forbidden",
        message: message.replace("cannot", `User "a-${role}" cannot`),
      },
      tokens.get(role),
    ),
  );

  it.each(["view", "node"])("%s may read", async (role) => {
    const answer = await call(cluster.base, tokens.get(role), "GET", kept);
    expect(answer.code).toBe(200);
    expect(answer.body.data).toEqual({ k: "v" });
  });

  it("node may report what its Pods are doing", async () => {
    const patch = { status: { phase: "Running" } };
    const path = "/api/v1/namespaces/default/pods/p/status?dryRun=All";
    const headers = { "content-type": MERGE };
    const reported = await call(cluster.base, tokens.get("node"), "PATCH", path, patch, headers);
    expect(reported.body, reported.text).toMatchObject({ status: { phase: "Running" } });
  });

  it("of the root token is that of an admin in every cluster", async () => {
    const answer = await call(cluster.base, server.rootToken, "DELETE", `${kept}?dryRun=All`);
    expect(answer.code, answer.text).toBe(200);
    expect((await call(cluster.base, server.rootToken, "GET", "/api/v1/secrets")).body.items).toHaveLength(1);
  });
});
