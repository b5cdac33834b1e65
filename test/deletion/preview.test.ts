import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { eventually } from "../server.ts";
import { type DeletionCluster, DeletionSession, MAPS, names, target } from "./deletion-session.ts";

let session: DeletionSession;
let at: DeletionCluster;

beforeAll(async () => {
  session = await DeletionSession.start();
  return () => session.end();
});
beforeEach(async () => {
  at = await session.cluster();
});

describe("kubectl delete --dry-run=server", () => {
  it("warns of all that would go, and of what would hold it up", async () => {
    await at.make("root");
    await at.make("middle", ["root"]);
    await at.make("leaf", ["middle"], { finalizers: ["example.com/wait"] });
    const { stdout, stderr } = await at.shell.run(["delete", "configmap", "root", "--dry-run=server"]);
    expect(stdout).toBe('configmap "root" deleted (server dry run)\n');
    expect(stderr).toContain("Warning: would delete 2 more: 2 ConfigMap\n");
    expect(stderr).toContain(
      "Warning: ConfigMap default/leaf would wait for the finalizer example.com/wait\n",
    );
    expect(await at.left()).toEqual(["leaf", "middle", "root"]);
  });

  it("tells what is left without an owner", async () => {
    await at.make("root");
    await at.make("leaf", ["root"]);
    const { stderr } = await at.shell.run(["delete", "cm", "root", "--dry-run=server", "--cascade=orphan"]);
    expect(stderr).toContain("Warning: would leave 1 without an owner: 1 ConfigMap\n");
  });

  it("has nothing to say about an object that goes alone", async () => {
    await at.make("root");
    expect((await at.shell.run(["delete", "cm", "root", "--dry-run=server"])).stderr).toBe("");
  });
});

describe("a DeletionPreview", () => {
  it("lists what goes in order, what lives on, and what holds it up", async () => {
    await at.make("root");
    await at.make("other");
    await at.make("leaf", ["root"]);
    await at.make("shared", ["root", "other"]);
    await at.make("held", ["root"], { finalizers: ["example.com/wait"] });
    const { status } = await at.ask("DeletionPreview", { target, propagationPolicy: "Foreground" });
    expect(status).toMatchObject({
      deletes: [{ kind: "ConfigMap", namespace: "default", name: "leaf" }],
      keeps: [{ name: "shared" }],
      blockers: [{ name: "held", finalizers: ["example.com/wait"] }],
      orphans: [],
    });
    expect(names(status.deletesOnceUnblocked)).toEqual(["held", "root"]);
  });

  it("is refused with the field that is wrong", async () => {
    const refused = (spec: object) => at.refused("DeletionPreview", spec);
    expect(await refused({})).toContain("spec.target: Required value");
    expect(await refused({ target: { ...target, kind: "Ghost" } })).toContain("spec.target.kind");
    expect(await refused({ target: { ...target, namespace: "" } })).toContain("spec.target.namespace");
    expect(await refused({ target, propagationPolicy: "Sideways" })).toContain("spec.propagationPolicy");
    expect(await refused({ target, odd: 1 })).toContain("spec.odd");
    expect(await refused({ target })).toContain('configmaps "root" not found');
  });

  it("has a hash that a DELETE can be held to", async () => {
    await at.make("root");
    await at.make("leaf", ["root"]);
    const { status } = await at.ask("DeletionPreview", { target });
    await at.make("late", ["root"]);
    const held = `${MAPS}/root?previewHash=${status.hash}`;
    const refused = await at.cluster.call("DELETE", held);
    expect(refused).toMatchObject({ code: 409, body: { reason: "Conflict" } });
    expect(refused.body.message).toContain("ConfigMap default/late now goes");
    expect(await at.left()).toEqual(["late", "leaf", "root"]);

    const again = await at.ask("DeletionPreview", { target });
    // Raw paths begin at the host.
    const path = `/clusters/${at.cluster.name}${MAPS}/root`;
    const line = `delete --raw ${path}?previewHash=${again.status.hash}`;
    await at.shell.kubectl(line);
    await eventually(
      () => at.left(),
      (found) => found.length === 0,
    );
  });
});

describe("a DeletionStatus", () => {
  it("says which finalizer waits, who set it, and how far the cascade is", async () => {
    await at.make("root");
    await at.make("free", ["root"]);
    await at.make("held", ["root"]);
    const patch = '{"metadata":{"finalizers":["example.com/wait"]}}';
    await at.shell.kubectl(`patch cm held --type=merge --field-manager=storage-operator -p ${patch}`);
    await at.shell.kubectl("delete cm root --cascade=foreground --wait=false");
    await eventually(
      () => at.left(),
      (found) => found.length === 2,
    );

    const list = await at.shell.kubectl("get deletionstatuses --no-headers");
    expect(list).toMatch(
      /ConfigMap +default +root +\S+ +1\/3 +ConfigMap default\/held waits for the finalizer/,
    );
    const { status } = await at.ask("DeletionStatus", { target: { ...target, name: "held" } });
    expect(status).toMatchObject({
      phase: "Terminating",
      rule: "owner-deleting",
      finalizers: [{ name: "example.com/wait", setBy: "storage-operator" }],
      owners: [{ name: "root", state: "waiting" }],
    });
  });

  it("of an object that lives says what it owns and what would be left", async () => {
    await at.make("root");
    await at.make("leaf", ["root"]);
    const { status } = await at.ask("DeletionStatus", { target });
    expect(status).toMatchObject({
      phase: "Active",
      owns: { total: 1, first: [{ name: "leaf", blocking: true }] },
      ifDeleted: { deletes: { ConfigMap: 2 } },
    });
  });
});

it("every deletion leaves a record that leads to its cause", async () => {
  const root = await at.make("root");
  const middle = await at.make("middle", ["root"]);
  await at.make("leaf", ["middle"]);
  await at.shell.kubectl("delete cm root");
  await eventually(
    () => at.left(),
    (found) => found.length === 0,
  );
  const records = await at.shell.kubectl(`get deletionrecords --field-selector root=${root} -o yaml`);
  const found = parse(records).items.map(
    ({ spec }: { spec: { target: { name: string }; cause?: string; rule: string } }) => [
      spec.target.name,
      spec.rule,
      spec.cause,
    ],
  );
  expect(found.sort()).toEqual([
    ["leaf", "owner-absent", middle],
    ["middle", "owner-absent", root],
    ["root", "request", undefined],
  ]);
});

describe("an Unblock", () => {
  const held = { ...target, name: "held" };
  const finalizer = "example.com/wait";

  it("takes a named finalizer off, and the record keeps the reason", async () => {
    const uid = await at.make("held", [], { finalizers: [finalizer, "example.com/other"] });
    await at.shell.kubectl("delete cm held --wait=false");
    const reason = "the disk behind it burned";
    const { status } = await at.ask("Unblock", { target: held, finalizer, reason });
    expect(status).toEqual({ phase: "Released", record: uid, finalizers: ["example.com/other"] });
    await at.ask("Unblock", { target: held, finalizer: "example.com/other", reason });
    expect(await at.left()).toEqual([]);
    const record = parse(await at.shell.kubectl(`get deletionrecord ${uid} -o yaml`));
    expect(record.status).toMatchObject({
      phase: "Removed",
      interventions: [
        { finalizer, reason },
        { finalizer: "example.com/other", reason },
      ],
    });
  });

  it("needs a reason, a finalizer that is there, and an object that is going", async () => {
    await at.make("held", [], { finalizers: [finalizer] });
    expect(await at.refused("Unblock", { target: held, finalizer })).toContain("spec.reason");
    const reason = "done";
    expect(await at.refused("Unblock", { target: held, finalizer, reason })).toContain(
      "is not being deleted",
    );
    await at.shell.kubectl("delete cm held --wait=false");
    const other = await at.refused("Unblock", { target: held, finalizer: "example.com/none", reason });
    expect(other).toContain("does not have it; its finalizers: example.com/wait");
    expect(await at.left()).toEqual(["held"]);
  });
});
