import { Encoded } from "./client.ts";

/** What a node's runtime holds. */
export interface Holdings {
  node: string;
  images: number;
  containers: number;
}

const hex = (text: string): string => Buffer.from(text).toString("hex").slice(-40).padStart(64, "0");
const uid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;

/** Containers of one pod. */
const PER_POD = 4;

const BOUNDARY = "------------------------kubegcBenchBoundary";
const MOUNT = "/var/lib/containerd/io.containerd.snapshotter.v1.overlayfs";

/**
 * The report of a node as curl posts it and crictl prints it, about a kilobyte for each container. Half of the disk is free.
 *
 * @param changes how many containers have been replaced since the first report
 */
export function nodeReport(holdings: Holdings, sequence: number, changes: number): Encoded {
  const { node, images, containers } = holdings;
  const parts = {
    agent: `version 1\nsequence ${sequence}\ntime ${Math.floor(Date.now() / 1000)}\nmode run\nboot bench\n`,
    images: printed({ images: range(images, (n) => image(node, n)) }),
    imagefsinfo: printed({
      status: { imageFilesystems: [{ fsId: { mountpoint: MOUNT }, usedBytes: { value: "1" } }] },
    }),
    containers: printed({
      containers: range(containers, (n) =>
        container(node, n, n % images, Math.ceil((changes - n) / containers)),
      ),
    }),
    pods: printed({ items: range(Math.ceil(containers / PER_POD), (n) => sandbox(node, n)) }),
    df: [`# nodefs -k /var/lib/kubelet`, `# fs -k ${MOUNT}`]
      .map(
        (head) =>
          `${head}\nFilesystem 1024-blocks Used Available Capacity Mounted on\n/dev/vda1 100000000 50000000 50000000 50% /\n`,
      )
      .join(""),
    logs: "",
    links: "",
  };
  const body = Object.entries(parts).map(
    ([name, text]) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`,
  );
  return new Encoded(
    Buffer.from(`${body.join("")}--${BOUNDARY}--\r\n`),
    `multipart/form-data; boundary=${BOUNDARY}`,
  );
}

const printed = (listing: object): string => `${JSON.stringify(listing, null, 2)}\n`;
const range = <T>(count: number, each: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => each(n));

function image(node: string, n: number): object {
  const name = `registry.example/team-${n % 20}/service-${n}`;
  return {
    id: `sha256:${hex(`image ${n}`)}`,
    repoTags: [`${name}:1.${n}.0`],
    repoDigests: [`${name}@sha256:${hex(`digest ${n}`)}`],
    size: String(20_000_000 + 1000 * n),
    uid: null,
    username: node.length % 2 === 0 ? "" : "nonroot",
    spec: null,
    pinned: false,
  };
}

function sandbox(node: string, n: number): object {
  const labels = podLabels(n);
  return {
    id: hex(`${node} sandbox ${n}`),
    metadata: {
      name: labels["io.kubernetes.pod.name"],
      uid: labels["io.kubernetes.pod.uid"],
      namespace: labels["io.kubernetes.pod.namespace"],
      attempt: 0,
    },
    state: "SANDBOX_READY",
    createdAt: "1795190000123456789",
    labels,
    annotations: {
      "kubernetes.io/config.seen": "2026-11-20T16:20:03Z",
      "kubernetes.io/config.source": "api",
    },
    runtimeHandler: "",
  };
}

const podLabels = (n: number) => ({
  "io.kubernetes.pod.name": `service-${n}-7c9f8d6b5-x${n}`,
  "io.kubernetes.pod.namespace": `team-${n % 20}`,
  "io.kubernetes.pod.uid": uid(n),
});

/** Every tenth one has ended; the image of each is the one of its number. */
function container(node: string, n: number, ofImage: number, attempt: number): object {
  const name = `service-${n}`;
  const pod = Math.floor(n / PER_POD);
  const times = Math.max(0, attempt);
  return {
    id: hex(`${node} ${n} ${times}`),
    podSandboxId: hex(`${node} sandbox ${pod}`),
    metadata: { name, attempt: times },
    image: { image: `sha256:${hex(`image ${ofImage}`)}`, annotations: {}, userSpecifiedImage: "" },
    imageRef: `sha256:${hex(`image ${ofImage}`)}`,
    state: n % 10 === 9 ? "CONTAINER_EXITED" : "CONTAINER_RUNNING",
    createdAt: `${1_795_190_000 + times}123456789`,
    labels: { "io.kubernetes.container.name": name, ...podLabels(pod) },
    annotations: {
      "io.kubernetes.container.hash": "30e5fd1a",
      "io.kubernetes.container.restartCount": String(times),
      "io.kubernetes.container.terminationMessagePath": "/dev/termination-log",
      "io.kubernetes.container.terminationMessagePolicy": "File",
      "io.kubernetes.pod.terminationGracePeriod": "30",
    },
  };
}
