/** Who may do what. Three roles for now; each is one function, so that more, or rules of one's own, can follow. */
export type Role = "admin" | "view" | "node";

export interface Principal {
  user: string;
  role: Role;
}

/** What a request is about to do, in the words of Kubernetes' authorization. */
export interface Attributes {
  verb: string;
  group: string;
  resource: string;
  subresource: string | undefined;
  /** Empty for cluster-scoped resources and for all namespaces. */
  namespace: string;
  name: string;
}

const READS: ReadonlySet<string> = new Set(["get", "list", "watch"]);

/** What a node's own agents write, as upstream's `system:node` role has it. */
const NODE_WRITES: ReadonlySet<string> = new Set([
  "create nodes",
  "update nodes",
  "patch nodes",
  "update nodes/status",
  "patch nodes/status",
  "create pods",
  "delete pods",
  "update pods/status",
  "patch pods/status",
  "create events",
  "update events",
  "patch events",
  "create leases.coordination.k8s.io",
  "update leases.coordination.k8s.io",
  "patch leases.coordination.k8s.io",
  "delete leases.coordination.k8s.io",
  "create csinodes.storage.k8s.io",
  "update csinodes.storage.k8s.io",
  "patch csinodes.storage.k8s.io",
  "delete csinodes.storage.k8s.io",
  "create certificatesigningrequests.certificates.k8s.io",
]);

/** `view` reads everything but what would let it act as somebody else. Source: kubernetes' role `view`. */
const HIDDEN_FROM_VIEW: ReadonlySet<string> = new Set(["secrets"]);

/** Whoever is known may ask what they themselves are and may do. Source: kubernetes' role `system:basic-user`. */
const SELF_REVIEWS: ReadonlySet<string> = new Set([
  "selfsubjectreviews.authentication.k8s.io",
  "selfsubjectaccessreviews.authorization.k8s.io",
  "selfsubjectrulesreviews.authorization.k8s.io",
]);

export function allows({ role }: Principal, attributes: Attributes): boolean {
  const { verb, group, resource, subresource } = attributes;
  const grouped = group === "" ? resource : `${resource}.${group}`;
  if (verb === "create" && SELF_REVIEWS.has(grouped)) return true;
  switch (role) {
    case "admin":
      return true;
    case "view":
      return READS.has(verb) && !HIDDEN_FROM_VIEW.has(grouped);
    case "node":
      return (
        READS.has(verb) || NODE_WRITES.has(`${verb} ${subresource ? `${grouped}/${subresource}` : grouped}`)
      );
  }
}

/** A token of this user reports for every node: a DaemonSet has one token for all of its pods. */
const ALL_NODES = "system:nodes";

/** Who may say what a node's runtime holds, and is told what to remove from it. */
export function mayReport({ user, role }: Principal, node: string): boolean {
  if (role === "admin") return true;
  return role === "node" && [node, `system:node:${node}`, ALL_NODES].includes(user);
}
