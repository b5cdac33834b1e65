import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makeCluster, writeKubeconfig } from "../cluster.ts";
import { eventually, startServer, type TestServer } from "../server.ts";
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

const CRONTABS = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crontabs.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: crontabs, singular: crontab, kind: CronTab}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [schedule]
            properties:
              schedule: {type: string, description: When it runs.}
              free: {type: object, x-kubernetes-preserve-unknown-fields: true}
              port: {x-kubernetes-int-or-string: true}
`;

/** One of many kinds, with fields of every sort. */
const EVERYTHING = `
apiVersion: v1
kind: Pod
metadata: {name: every}
spec:
  nodeSelector: {disk: ssd}
  securityContext: {runAsUser: 1000, fsGroup: 1}
  tolerations: [{key: a, operator: Exists, tolerationSeconds: 60}]
  hostAliases: [{ip: 127.0.0.1, hostnames: [a.local]}]
  volumes:
  - {name: config, projected: {sources: [{configMap: {name: m, items: [{key: k, path: p, mode: 420}]}}]}}
  - {name: claim, persistentVolumeClaim: {claimName: c}}
  - {name: memory, emptyDir: {medium: Memory, sizeLimit: 1Gi}}
  initContainers: [{name: before, image: busybox, restartPolicy: Always}]
  containers:
  - name: main
    image: nginx
    ports: [{containerPort: 8080}, {containerPort: 9090, protocol: UDP}]
    env: [{name: X, value: a}, {name: SECRET, valueFrom: {secretKeyRef: {name: s, key: k, optional: true}}}]
    resources: {requests: {cpu: 100m, memory: 1Gi}, limits: {cpu: 2}}
    readinessProbe: {httpGet: {path: /, port: http}, periodSeconds: 5}
    livenessProbe: {tcpSocket: {port: 8080}}
    lifecycle: {preStop: {exec: {command: [sleep, "1"]}}}
    volumeMounts: [{name: config, mountPath: /config, readOnly: true}]
  affinity:
    nodeAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
      - {weight: 1, preference: {matchExpressions: [{key: a, operator: In, values: [b]}]}}
---
apiVersion: v1
kind: Node
metadata: {name: n1}
spec: {taints: [{key: a, value: b, effect: NoSchedule}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: j}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: busybox}]}}}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: cj}
spec:
  schedule: "* * * * *"
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: busybox}]}}}}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: v}
spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], hostPath: {path: /x}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: c}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: Secret
metadata: {name: s}
stringData: {k: v}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: m}
data: {k: v}
---
apiVersion: v1
kind: Service
metadata: {name: svc}
spec: {selector: {app: web}, ports: [{port: 80, targetPort: 8080}]}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: i}
spec:
  rules:
  - {http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: svc, port: {number: 80}}}}]}}
---
apiVersion: autoscaling/v1
kind: HorizontalPodAutoscaler
metadata: {name: h}
spec: {maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: b}
spec: {minAvailable: 1, selector: {matchLabels: {app: web}}}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: app}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: q}
spec: {hard: {pods: 10}}
`;

const DESCRIBED: readonly (readonly [object: string, expected: RegExp])[] = [
  ["pod/every", /Node-Selectors: +disk=ssd\n/],
  ["node/n1", /Unschedulable: +false\n/],
  ["deployment/web", /Replicas: +1 desired/],
  ["job/j", /Parallelism: +1\n/],
  ["cronjob/cj", /Schedule: +\* \* \* \* \*\n/],
  ["pvc/c", /Status: +Pending\n/],
  ["pv/v", /Reclaim Policy: +Retain\n/],
  ["secret/s", /k: +1 bytes\n/],
  ["configmap/m", /\nk:\n----\nv\n/],
  ["service/svc", /TargetPort: +8080\/TCP\n/],
  ["ingress/i", /\n +\/ +svc:80/],
  ["hpa/h", /Max replicas: +3\n/],
  ["pdb/b", /Min available: +1\n/],
  ["namespace/default", /Status: +Active\n/],
  ["crontab/c", /Schedule: +every day\n/],
  ["sa/app", /Name: +app\n/],
  ["resourcequota/q", /Namespace: +default\n/],
];

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

  it("explains fields, built-in and custom, and checks objects before it sends them", async () => {
    expect(await kubectl("explain pods")).toMatch(/\n +spec\t<(PodSpec|Object)>/);
    expect(await kubectl("explain deployment.spec.replicas")).toMatch(/replicas <integer>/);
    expect(await kubectl("explain pod.spec.containers.env")).toMatch(
      /\n +valueFrom\t<(EnvVarSource|Object)>/,
    );
    expect(await kubectl("explain configmap.data")).toMatch(/data <map\[string\]string>/);
    expect(await kubectl("explain crd.spec --recursive")).toContain("openAPIV3Schema");
    await kubectl("apply -f -", CRONTABS);
    await kubectl("wait --for=condition=Established crd/crontabs.example.com");
    await eventually(
      () => shell.run(["explain", "crontabs"]),
      ({ code }) => code === 0,
    );
    expect(await kubectl("explain crontab.spec")).toMatch(/schedule\t<string>[\s\S]*When it runs\./);
    const crontab = (spec: string) =>
      `apiVersion: example.com/v1\nkind: CronTab\nmetadata: {name: c}\nspec: {${spec}}\n`;
    await kubectl("apply -f -", crontab('schedule: "* * * * *", free: {any: [thing]}, port: http'));
    await kubectl("apply -f -", crontab('schedule: "* * * * *", free: {other: 1}, port: 80'));
    const unknown = await shell.run(["apply", "-f", "-"], crontab("schedule: x, wrong: 1"));
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toContain('unknown field "');
  });

  it("applies every sort of field with validation on, and lists by their items", async () => {
    await kubectl("apply -f -", EVERYTHING);
    await kubectl("apply -f -", EVERYTHING.replace("{name: X, value: a}, ", "").replace("8080", "8081"));
    const path = "-o jsonpath={.spec.containers[0].env[*].name},{.spec.containers[0].ports[*].containerPort}";
    // A patch of a Pod would be refused by a cluster that checks it; here its spec is data.
    expect(await kubectl(`get pod every ${path}`)).toBe("SECRET,8081 9090");
  });

  it("describes objects of many kinds", async () => {
    await kubectl("apply -f -", EVERYTHING);
    await kubectl("apply -f -", CRONTABS);
    await kubectl("wait --for=condition=Established crd/crontabs.example.com");
    const custom =
      "apiVersion: example.com/v1\nkind: CronTab\nmetadata: {name: c}\nspec: {schedule: every day}\n";
    await eventually(
      () => shell.run(["apply", "-f", "-"], custom),
      ({ code }) => code === 0,
    );
    for (const [object, expected] of DESCRIBED) {
      expect(await kubectl(`describe ${object}`)).toMatch(expected);
    }
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
    const finalizers = (list: string) =>
      `patch configmap a --type=merge -p {"metadata":{"finalizers":${list}}}`;
    await kubectl(finalizers('["example.com/wait"]'));
    const waiting = shell.start("wait --for=delete configmap/a --timeout=20s");
    await kubectl("delete configmap a --wait=false");
    // An old kubectl wants to find what it waits for, so it is given the time to.
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await kubectl(finalizers("null"));
    expect(await waiting.exit).toBe(0);
    await kubectl("delete deploy -l app=web");
    expect(await kubectl("get deploy -o name")).toBe("");
    expect((await shell.run(["delete", "configmap", "a"])).stderr).toContain('configmaps "a" not found');
  });
});
