import { stringify } from "yaml";

/** What a node needs to take part, each under its name at `/clusters/{cluster}/agent/`. None of it is secret. */
export const AGENT_FILES = [
  "kubegc-node.sh",
  "kubegc-node.service",
  "kubegc-node.timer",
  "daemonset.yaml",
] as const;
export type AgentFileName = (typeof AGENT_FILES)[number];

export const isAgentFile = (name: string): name is AgentFileName =>
  (AGENT_FILES as readonly string[]).includes(name);

/** @param clusterUrl with the cluster's path, such as `https://kubegc.example/clusters/acme` */
export function agentFile(name: AgentFileName, script: string, clusterUrl: string): string {
  switch (name) {
    case "kubegc-node.sh":
      return filledScript(script, clusterUrl);
    case "kubegc-node.service":
      return serviceUnit(clusterUrl);
    case "kubegc-node.timer":
      return TIMER;
    case "daemonset.yaml":
      return daemonSet(filledScript(script, clusterUrl), clusterUrl);
  }
}

const SERVED_URL = "served_url=''";

function filledScript(script: string, clusterUrl: string): string {
  return script.replace(SERVED_URL, () => `served_url=${shellQuoted(clusterUrl)}`);
}

const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** For a quoted assignment of systemd, where `%` begins a specifier. Source: systemd.syntax(7), systemd.unit(5). */
const unitQuoted = (text: string): string => `"${text.replaceAll(/["\\]/g, "\\$&").replaceAll("%", "%%")}"`;

function serviceUnit(clusterUrl: string): string {
  const agent = `${clusterUrl}/agent`;
  return `# curl -fsSo /usr/local/bin/kubegc-node.sh ${agent}/kubegc-node.sh && chmod 755 /usr/local/bin/kubegc-node.sh
# curl -fsSo /etc/systemd/system/kubegc-node.service ${agent}/kubegc-node.service
# curl -fsSo /etc/systemd/system/kubegc-node.timer ${agent}/kubegc-node.timer
# (umask 077; echo KUBEGC_TOKEN=… > /etc/kubegc-node.env)
# systemctl daemon-reload && systemctl enable --now kubegc-node.timer
#
# With k3s: CRICTL=k3s crictl in /etc/kubegc-node.env.
[Unit]
Description=kubegc: garbage collection of images and containers
Documentation=${agent}/kubegc-node.sh
Wants=network-online.target
After=network-online.target containerd.service crio.service k3s.service k3s-agent.service

[Service]
Type=oneshot
Environment=${unitQuoted(`KUBEGC_URL=${clusterUrl}`)}
EnvironmentFile=/etc/kubegc-node.env
ExecStart=/usr/local/bin/kubegc-node.sh --once
RuntimeDirectory=kubegc-node
RuntimeDirectoryPreserve=yes
# 75: another run is going on.
SuccessExitStatus=75
TimeoutStartSec=15min
Nice=10
IOSchedulingClass=idle
`;
}

const TIMER = `[Unit]
Description=kubegc: every minute

[Timer]
OnBootSec=1min
OnUnitInactiveSec=1min
RandomizedDelaySec=10s
AccuracySec=5s

[Install]
WantedBy=timers.target
`;

const AGENT = "kubegc-node";
const MOUNTED_SCRIPT = "/kubegc/kubegc-node.sh";
/** Where the host finds it: in memory, and gone after a boot. */
const HOST_SCRIPT = "/run/kubegc-node/kubegc-node.sh";

/**
 * The agent on every node, with the host's own crictl and curl: the container is only a way in. It needs the host's
 * processes for its lock, and its files for logs, the runtime's socket and df.
 */
function daemonSet(script: string, clusterUrl: string): string {
  const labels = { "app.kubernetes.io/name": AGENT };
  const metadata = { name: AGENT, namespace: "kube-system", labels };
  const enter = [
    "mkdir -p /host/run/kubegc-node",
    `cp ${MOUNTED_SCRIPT} /host${HOST_SCRIPT}`,
    `exec chroot /host /bin/sh ${HOST_SCRIPT}`,
  ].join(" && ");
  const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { [`${AGENT}.sh`]: script } };
  const set = {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata,
    spec: {
      selector: { matchLabels: labels },
      updateStrategy: { rollingUpdate: { maxUnavailable: "10%" } },
      template: {
        metadata: { labels },
        spec: {
          hostPID: true,
          hostNetwork: true,
          dnsPolicy: "Default",
          automountServiceAccountToken: false,
          priorityClassName: "system-node-critical",
          tolerations: [{ operator: "Exists" }],
          nodeSelector: { "kubernetes.io/os": "linux" },
          containers: [
            {
              name: AGENT,
              image: "busybox:1.37",
              command: ["/bin/sh", "-c", enter],
              env: [
                { name: "KUBEGC_URL", value: clusterUrl },
                { name: "KUBEGC_TOKEN", valueFrom: { secretKeyRef: { name: AGENT, key: "token" } } },
                { name: "KUBEGC_NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
                { name: "CRICTL", value: "crictl" },
                { name: "PATH", value: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" },
              ],
              securityContext: { privileged: true },
              resources: { requests: { cpu: "10m", memory: "32Mi" } },
              volumeMounts: [
                { name: "host", mountPath: "/host", mountPropagation: "HostToContainer" },
                { name: "script", mountPath: "/kubegc" },
              ],
            },
          ],
          volumes: [
            { name: "host", hostPath: { path: "/" } },
            { name: "script", configMap: { name: AGENT } },
          ],
        },
      },
    },
  };
  const head = `# First the token of the nodes, which this file does not hold, made with an admin's:
#   curl ${clusterUrl}/tokens -H "Authorization: Bearer …" -d '{"user":"system:nodes","role":"node"}'
#   kubectl -n kube-system create secret generic ${AGENT} --from-literal=token=…
# The nodes need crictl and curl. With k3s, set CRICTL to "k3s crictl".
`;
  return `${head}${[configMap, set].map((each) => stringify(each, { lineWidth: 0, aliasDuplicateObjects: false })).join("---\n")}`;
}
