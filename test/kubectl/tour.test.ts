import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makeCluster, writeKubeconfig } from "../cluster.ts";
import { startServer, type TestServer } from "../server.ts";
import { kubectls, Shell } from "./kubectl.ts";

/** What people type, command by command: each says what it should, and does it. */
const DEPLOYMENT = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: nginx, image: nginx}, {name: side, image: busybox}]}
`;

let server: TestServer;
let folder: string;
let clusters = 0;

beforeAll(async () => {
  server = await startServer();
  folder = mkdtempSync(join(tmpdir(), "kubegc-tour-"));
  return async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
});

describe.each(kubectls())("kubectl $version", (program) => {
  let shell: Shell;
  const kubectl = (line: string, input = "") => shell.kubectl(line, input);

  beforeEach(async () => {
    const cluster = await makeCluster(server, `tour-${clusters++}`);
    // For `edit`: an editor that changes one value.
    const editor = join(folder, "editor.sh");
    writeFileSync(editor, '#!/bin/sh\nsed -i "s/replaced: \\"yes\\"/replaced: edited/" "$1"\n', {
      mode: 0o755,
    });
    shell = new Shell(program, writeKubeconfig(server, cluster, folder), folder, { KUBE_EDITOR: editor });
    await kubectl("apply -f -", DEPLOYMENT);
  });
  afterEach(() => shell.end());

  it("lists what is served and what it is allowed to do", async () => {
    expect(await kubectl("api-resources --api-group=apps -o name")).toContain("deployments.apps");
    expect(await kubectl("api-versions")).toContain("apps/v1");
    expect(await kubectl("auth can-i delete deployments")).toBe("yes\n");
  });

  it("creates by its own generators", async () => {
    await kubectl("create namespace team");
    await kubectl("create configmap settings --from-literal=a=b -n team");
    await kubectl("create secret generic hidden --from-literal=a=b -n team");
    await kubectl("create deployment other --image=nginx -n team");
    expect(await kubectl("get configmap settings -n team -o jsonpath={.data.a}")).toBe("b");
    expect(await kubectl("get deploy,cm,secret -n team -o name")).toBe(
      "deployment.apps/other\nconfigmap/settings\nsecret/hidden\n",
    );
  });

  it("gets in every form", async () => {
    expect(await kubectl("get deploy")).toMatch(/NAME +READY +UP-TO-DATE +AVAILABLE +AGE\nweb +0\/1/);
    expect(await kubectl("get deploy -o wide")).toContain("nginx,busybox");
    expect(await kubectl("get deploy -A -l app=web -o name")).toBe("deployment.apps/web\n");
    expect(await kubectl("get deploy -l app!=web -o name")).toBe("");
    expect(await kubectl("get namespaces --sort-by=.metadata.name --chunk-size=1 -o name")).toBe(
      "namespace/default\nnamespace/kube-node-lease\nnamespace/kube-public\nnamespace/kube-system\n",
    );
    expect(await kubectl("get deploy web -o yaml")).toContain("revisionHistoryLimit: 10");
    expect(await kubectl("get all -o name")).toContain("deployment.apps/web");
  });

  it("describes", async () => {
    const described = await kubectl("describe deploy web");
    expect(described).toMatch(/Name: +web\n/);
    expect(described).toMatch(/Image: +nginx\n/);
    expect(await kubectl("describe namespace default")).toMatch(/Status: +Active/);
  });

  it("changes: label, annotate, patch in three types, set, scale, replace, edit", async () => {
    await kubectl("label deploy web tier=front");
    await kubectl("annotate deploy web note=x");
    expect(await kubectl("get deploy -l tier=front -o jsonpath={.items[0].metadata.annotations.note}")).toBe(
      "x",
    );
    await kubectl(
      'patch deploy web -p {"spec":{"template":{"spec":{"containers":[{"name":"side","image":"alpine"}]}}}}',
    );
    await kubectl('patch deploy web --type=merge -p {"spec":{"replicas":2}}');
    await kubectl('patch deploy web --type=json -p [{"op":"add","path":"/spec/minReadySeconds","value":3}]');
    expect(
      await kubectl(
        "get deploy web -o jsonpath={.spec.template.spec.containers[*].image},{.spec.replicas},{.spec.minReadySeconds}",
      ),
    ).toBe("nginx alpine,2,3");
    await kubectl("set image deploy/web nginx=nginx:2");
    await kubectl("scale deploy web --replicas=5");
    const stored = JSON.parse(await kubectl("get deploy web -o json"));
    expect([stored.spec.replicas, stored.spec.template.spec.containers[0].image]).toEqual([5, "nginx:2"]);
    stored.metadata.labels.replaced = "yes";
    await kubectl("replace -f -", JSON.stringify(stored));
    expect(await kubectl("get deploy web -o jsonpath={.metadata.labels.replaced}")).toBe("yes");
    await kubectl("edit deploy web");
    expect(await kubectl("get deploy web -o jsonpath={.metadata.labels.replaced}")).toBe("edited");
  });

  it("shows what an apply would change", async () => {
    const same = await shell.run(["diff", "-f", "-"], DEPLOYMENT);
    expect([same.code, same.stdout]).toEqual([0, ""]);
    const other = await shell.run(["diff", "-f", "-"], DEPLOYMENT.replace("replicas: 1", "replicas: 4"));
    expect(other.code).toBe(1);
    expect(other.stdout).toMatch(/^\+ +replicas: 4$/m);
    expect(await kubectl("get deploy web -o jsonpath={.spec.replicas}")).toBe("1");
  });

  it("drains a node", async () => {
    await kubectl("create -f -", "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n");
    const pod =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {nodeName: n1, terminationGracePeriodSeconds: 0, containers: [{name: c, image: nginx}]}\n";
    await kubectl("create -f -", pod);
    await kubectl("drain n1 --force --timeout=20s");
    expect(await kubectl("get pods -o name")).toBe("");
    expect(await kubectl("get node n1 -o jsonpath={.spec.unschedulable}")).toBe("true");
    await kubectl("uncordon n1");
  });

  it("deletes and waits", async () => {
    await kubectl("create configmap a --from-literal=k=v");
    const waiting = shell.start("wait --for=delete configmap/a --timeout=20s");
    await kubectl("delete configmap a");
    expect(await waiting.exit).toBe(0);
    await kubectl("delete deploy -l app=web");
    expect(await kubectl("get deploy -o name")).toBe("");
    expect((await shell.run(["delete", "configmap", "a"])).stderr).toContain('configmaps "a" not found');
  });
});
