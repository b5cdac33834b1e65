import type { MessageTable } from "../message-table.ts";

/** The messages of `discovery.k8s.io`, as Kubernetes 1.33.1 has them. */
export const discoveryMessages: MessageTable = {
  "discovery.k8s.io/v1": {
    Endpoint: {
      1: "addresses []string",
      2: "conditions EndpointConditions",
      3: "hostname string!",
      4: "targetRef v1.ObjectReference!",
      5: "deprecatedTopology map string",
      6: "nodeName string!",
      7: "zone string!",
      8: "hints EndpointHints!",
    },
    EndpointConditions: { 1: "ready bool!", 2: "serving bool!", 3: "terminating bool!" },
    EndpointHints: { 1: "forZones []ForZone", 2: "forNodes []ForNode" },
    EndpointPort: { 1: "name string!", 2: "protocol string!", 3: "port int32!", 4: "appProtocol string!" },
    EndpointSlice: {
      1: "metadata meta.k8s.io/v1.ObjectMeta",
      2: "endpoints []Endpoint",
      3: "ports []EndpointPort",
      4: "addressType string!",
    },
    ForNode: { 1: "name string!" },
    ForZone: { 1: "name string!" },
  },
  "discovery.k8s.io/v1beta1": {
    Endpoint: {
      1: "addresses []string",
      2: "conditions discovery.k8s.io/v1.EndpointConditions",
      3: "hostname string!",
      4: "targetRef v1.ObjectReference!",
      5: "topology map string",
      6: "nodeName string!",
      7: "hints discovery.k8s.io/v1.EndpointHints!",
    },
    EndpointSlice: {
      1: "metadata meta.k8s.io/v1.ObjectMeta",
      2: "endpoints []Endpoint",
      3: "ports []discovery.k8s.io/v1.EndpointPort",
      4: "addressType string!",
    },
  },
};
