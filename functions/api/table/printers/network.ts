import type { KubeObject } from "../../../objects/object.ts";
import { ageColumn, type Column, column, nameColumn, wideColumn } from "../column.ts";
import { clipped, countAt, hasAt, integerAt, listAt, textAt, textsAt } from "../reading.ts";
import { labelSelectorText, labelsText } from "../selector-text.ts";

/** How many addresses, ports or hosts a cell spells out. */
const shown = 3;

function loadBalancerAddresses(object: KubeObject): string[] {
  const addresses = listAt(object, "status", "loadBalancer", "ingress").map(
    (item) => textAt(item, "ip") || textAt(item, "hostname"),
  );
  return [...new Set(addresses)].filter((address) => address !== "").sort();
}

const serviceType = (service: KubeObject): string => textAt(service, "spec", "type");

function externalIp(service: KubeObject): string {
  const externalIps = textsAt(service, "spec", "externalIPs");
  switch (serviceType(service)) {
    case "ClusterIP":
    case "NodePort":
      return externalIps.join(",") || "<none>";
    case "LoadBalancer":
      return [...loadBalancerAddresses(service), ...externalIps].join(",") || "<pending>";
    case "ExternalName":
      return textAt(service, "spec", "externalName");
    default:
      return "<unknown>";
  }
}

function servicePorts(service: KubeObject): string {
  const ports = listAt(service, "spec", "ports").map((port) => {
    const protocol = textAt(port, "protocol");
    const nodePort = countAt(port, "nodePort");
    const number = countAt(port, "port");
    return nodePort > 0 ? `${number}:${nodePort}/${protocol}` : `${number}/${protocol}`;
  });
  return ports.join(",") || "<none>";
}

const hostPort = (ip: string, port: number): string =>
  ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`;

function endpointAddresses(endpoints: KubeObject): string {
  const subsets = listAt(endpoints, "subsets");
  if (subsets.length === 0) return "<none>";
  const all = subsets.flatMap((subset) => {
    const ips = listAt(subset, "addresses").map((address) => textAt(address, "ip"));
    const ports = listAt(subset, "ports");
    // A headless service may have none.
    if (ports.length === 0) return ips;
    return ports.flatMap((port) => ips.map((ip) => hostPort(ip, countAt(port, "port"))));
  });
  return clipped(all, shown);
}

function slicePorts(slice: KubeObject): string {
  const ports = listAt(slice, "ports").map((port) => {
    const number = integerAt(port, "port");
    if (number !== undefined) return String(number);
    return hasAt(port, "name") ? textAt(port, "name") : "*";
  });
  return clipped(ports, shown) || "<unset>";
}

const sliceAddresses = (slice: KubeObject): string =>
  clipped(
    listAt(slice, "endpoints").flatMap((endpoint) => textsAt(endpoint, "addresses")),
    shown,
  ) || "<unset>";

/** Rules without a host are not spelled out, but they count among those that follow the last one shown. */
function ingressHosts(ingress: KubeObject): string {
  const rules = listAt(ingress, "spec", "rules").map((rule) => textAt(rule, "host"));
  const hosts: string[] = [];
  for (const host of rules) {
    if (hosts.length === shown) return `${hosts.join(",")} + ${rules.length - shown} more...`;
    if (host !== "") hosts.push(host);
  }
  return hosts.join(",") || "*";
}

function ingressClassParameters(object: KubeObject): string {
  if (!hasAt(object, "spec", "parameters")) return "<none>";
  const group = textAt(object, "spec", "parameters", "apiGroup");
  const kind = textAt(object, "spec", "parameters", "kind");
  return `${group === "" ? kind : `${kind}.${group}`}/${textAt(object, "spec", "parameters", "name")}`;
}

export const networkColumns: Record<string, readonly Column[]> = {
  services: [
    nameColumn,
    column("Type", "How the service is exposed.", serviceType),
    column(
      "Cluster-IP",
      "The service's address within the cluster.",
      (object) => textAt(object, "spec", "clusterIPs", 0) || textAt(object, "spec", "clusterIP") || "<none>",
    ),
    column("External-IP", "Addresses outside of the cluster.", externalIp),
    column("Port(s)", "Ports that the service exposes.", servicePorts),
    ageColumn,
    wideColumn("Selector", "Which pods receive the traffic.", (object) =>
      labelsText(object, "spec", "selector"),
    ),
  ],
  endpoints: [
    nameColumn,
    column("Endpoints", "Addresses and ports behind a service.", endpointAddresses),
    ageColumn,
  ],
  "endpointslices.discovery.k8s.io": [
    nameColumn,
    column("AddressType", "Type of the addresses.", (object) => textAt(object, "addressType")),
    column("Ports", "Ports of each endpoint.", slicePorts),
    column("Endpoints", "Addresses of the endpoints.", sliceAddresses),
    ageColumn,
  ],
  "ingresses.networking.k8s.io": [
    nameColumn,
    column(
      "Class",
      "Name of the IngressClass.",
      (object) => textAt(object, "spec", "ingressClassName") || "<none>",
    ),
    column("Hosts", "Hosts that requests are matched against.", ingressHosts),
    column("Address", "Addresses of the load balancer.", (object) => loadBalancerAddresses(object).join(",")),
    column("Ports", "Ports that are open.", (object) =>
      listAt(object, "spec", "tls").length > 0 ? "80, 443" : "80",
    ),
    ageColumn,
  ],
  "ingressclasses.networking.k8s.io": [
    nameColumn,
    column("Controller", "Who serves this class.", (object) => textAt(object, "spec", "controller")),
    column("Parameters", "The object with additional parameters.", ingressClassParameters),
    ageColumn,
  ],
  "networkpolicies.networking.k8s.io": [
    nameColumn,
    column("Pod-Selector", "Which pods the policy is about.", (object) =>
      labelSelectorText(object, "spec", "podSelector"),
    ),
    ageColumn,
  ],
};
