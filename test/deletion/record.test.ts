import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { call, eventually } from "../server.ts";
import { type DeletionCluster, DeletionSession } from "./deletion-session.ts";

let session: DeletionSession;
let at: DeletionCluster;
let root: string;
let middle: string;
let leaf: string;

beforeAll(async () => {
  session = await DeletionSession.start();
  return () => session.end();
});
beforeEach(async () => {
  at = await session.cluster();
  root = await at.make("root");
  middle = await at.make("middle", ["root"]);
  leaf = await at.make("leaf", ["middle"]);
  await at.make("alone");
  await at.shell.kubectl("delete configmap root alone");
  await eventually(
    () => at.left(),
    (left) => left.length === 0,
  );
});

const COLLECTOR = "system:serviceaccount:kube-system:generic-garbage-collector";

describe("kubectl get deletionrecords", () => {
  const found = async (selector: string) => {
    const line = `get deletionrecords -o jsonpath={.items[*].spec.target.name} --field-selector ${selector}`;
    return (await at.shell.kubectl(line)).split(" ").filter(Boolean).sort();
  };

  it("finds them by their root, kind, actor, rule and cause", async () => {
    expect(await found(`root=${root}`)).toEqual(["leaf", "middle", "root"]);
    expect(await found(`root=${root},rule=request`)).toEqual(["root"]);
    expect(await found("kind=ConfigMap")).toEqual(["alone", "leaf", "middle", "root"]);
    expect(await found("kind=Pod")).toEqual([]);
    expect(await found(`actor=${COLLECTOR}`)).toEqual(["leaf", "middle"]);
    expect(await found("actor!=admin")).toEqual(["leaf", "middle"]);
    expect(await found(`cause=${middle}`)).toEqual(["leaf"]);
  });

  it("prints who deleted what", async () => {
    const printed = await at.shell.kubectl(`get deletionrecord ${leaf} --no-headers -o wide`);
    expect(printed).toMatch(
      new RegExp(
        `^${leaf} +ConfigMap +default +leaf +owner-absent +${COLLECTOR} +Removed +Background +${middle}`,
      ),
    );
  });
});

describe("the audit export", () => {
  const exported = (query: string, token = at.cluster.token) =>
    call(at.cluster.base, token, "GET", `/audit/deletions${query}`);

  it("gives the records as audit.k8s.io/v1 events that existing queries find", async () => {
    const { code, body } = await exported(`?root=${root}`);
    expect(code).toBe(200);
    expect(body).toMatchObject({ kind: "EventList", apiVersion: "audit.k8s.io/v1" });
    const byName = Object.fromEntries(
      body.items.map((event: { objectRef: { name: string } }) => [event.objectRef.name, event]),
    );
    expect(Object.keys(byName).sort()).toEqual(["leaf", "middle", "root"]);
    expect(byName.root).toMatchObject({
      verb: "delete",
      stage: "ResponseComplete",
      user: { username: "admin" },
      requestURI: "/api/v1/namespaces/default/configmaps/root",
      annotations: { "gc.kubegc.dev/rule": "request", "gc.kubegc.dev/root": root },
    });
    expect(byName.leaf).toMatchObject({
      user: { username: COLLECTOR },
      objectRef: { resource: "configmaps", namespace: "default", name: "leaf", uid: leaf, apiVersion: "v1" },
      annotations: { "gc.kubegc.dev/cause": middle },
    });
  });

  it("comes in pages", async () => {
    const uids: string[] = [];
    for (let next = ""; ; ) {
      const { body } = await exported(`?limit=3&continue=${next}`);
      uids.push(...body.items.map(({ auditID }: { auditID: string }) => auditID));
      next = body.metadata.continue ?? "";
      if (next === "") break;
    }
    expect(new Set(uids).size).toBe(4);
    expect(uids).toHaveLength(4);
  });

  it("is refused to who may not list the records, and when it is asked for nonsense", async () => {
    expect((await exported("", "nobody")).code).toBe(401);
    expect(await exported("?limit=none")).toMatchObject({ code: 400, body: { reason: "BadRequest" } });
  });
});
