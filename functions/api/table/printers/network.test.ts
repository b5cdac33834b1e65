import { describe, expect, test } from "vitest";
import { age, cells } from "./cells.fixture.ts";

describe("network", () => {
  const ingressTo = (...hosts: string[]): object => ({ spec: { rules: hosts.map((host) => ({ host })) } });
  const addresses = ["1", "2", "3", "4"].map((last) => ({ ip: `10.0.0.${last}` }));

  test.each<[what: string, path: string, fields: object, cells: unknown[]]>([
    [
      "cluster service",
      "/v1/services",
      {
        spec: {
          type: "ClusterIP",
          clusterIP: "10.1.0.1",
          ports: [
            { port: 80, protocol: "TCP" },
            { port: 53, nodePort: 30053, protocol: "UDP" },
          ],
          selector: { app: "web" },
        },
      },
      ["x", "ClusterIP", "10.1.0.1", "<none>", "80/TCP,53:30053/UDP", age, "app=web"],
    ],
    [
      "headless service",
      "/v1/services",
      { spec: { type: "ClusterIP", clusterIP: "None", clusterIPs: ["None"] } },
      ["x", "ClusterIP", "None", "<none>", "<none>", age, "<none>"],
    ],
    [
      "waiting load balancer",
      "/v1/services",
      { spec: { type: "LoadBalancer" } },
      ["x", "LoadBalancer", "<none>", "<pending>", "<none>", age, "<none>"],
    ],
    [
      "load balancer",
      "/v1/services",
      {
        spec: { type: "LoadBalancer", externalIPs: ["9.9.9.9"] },
        status: { loadBalancer: { ingress: [{ hostname: "lb.example.com" }, { ip: "1.2.3.4" }] } },
      },
      ["x", "LoadBalancer", "<none>", "1.2.3.4,lb.example.com,9.9.9.9", "<none>", age, "<none>"],
    ],
    [
      "external name",
      "/v1/services",
      { spec: { type: "ExternalName", externalName: "db.example.com" } },
      ["x", "ExternalName", "<none>", "db.example.com", "<none>", age, "<none>"],
    ],
    ["endpoints of nothing", "/v1/endpoints", {}, ["x", "<none>", age]],
    [
      "endpoints",
      "/v1/endpoints",
      { subsets: [{ addresses: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }], ports: [{ port: 80 }] }] },
      ["x", "10.0.0.1:80,[fd00::1]:80", age],
    ],
    [
      "many endpoints without ports",
      "/v1/endpoints",
      { subsets: [{ addresses }] },
      ["x", "10.0.0.1,10.0.0.2,10.0.0.3 + 1 more...", age],
    ],
    [
      "endpoint slice",
      "discovery.k8s.io/v1/endpointslices",
      {
        addressType: "IPv4",
        ports: [{ port: 80 }, { name: "http" }, {}],
        endpoints: [{ addresses: ["a", "b"] }, { addresses: ["c", "d"] }],
      },
      ["x", "IPv4", "80,http,*", "a,b,c + 1 more...", age],
    ],
    [
      "empty endpoint slice",
      "discovery.k8s.io/v1/endpointslices",
      { addressType: "IPv6" },
      ["x", "IPv6", "<unset>", "<unset>", age],
    ],
    [
      "ingress",
      "networking.k8s.io/v1/ingresses",
      {
        spec: { ingressClassName: "nginx", rules: [{ host: "a.example.com" }, {}], tls: [{}] },
        status: { loadBalancer: { ingress: [{ ip: "1.2.3.4" }] } },
      },
      ["x", "nginx", "a.example.com", "1.2.3.4", "80, 443", age],
    ],
    ["ingress without hosts", "networking.k8s.io/v1/ingresses", {}, ["x", "<none>", "*", "", "80", age]],
    [
      "ingress with many hosts",
      "networking.k8s.io/v1/ingresses",
      ingressTo("a", "b", "c", "d", "e"),
      ["x", "<none>", "a,b,c + 2 more...", "", "80", age],
    ],
    [
      "ingress class",
      "networking.k8s.io/v1/ingressclasses",
      {
        spec: { controller: "example.com/c", parameters: { apiGroup: "example.com", kind: "P", name: "p" } },
      },
      ["x", "example.com/c", "P.example.com/p", age],
    ],
    [
      "network policy",
      "networking.k8s.io/v1/networkpolicies",
      { spec: { podSelector: { matchLabels: { app: "db" } } } },
      ["x", "app=db", age],
    ],
  ])("%s", (_, path, fields, expected) => {
    expect(cells(path, fields)).toEqual(expected);
  });
});
