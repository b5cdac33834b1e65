/** What a path under `/api` or `/apis` names. Which kind that is, and whether it is served, is looked up later. */
export interface ResourcePath {
  /** `""` is the core group. */
  group: string;
  version: string;
  /** Undefined when the path names none: a cluster-scoped resource, or all namespaces. */
  namespace: string | undefined;
  resource: string;
  name: string | undefined;
  subresource: string | undefined;
  /** The path says by itself that this is a watch: `api/v1/watch/namespaces/a/pods`, as it was before `?watch=1`. */
  watch?: true;
}

/**
 * Reads the segments after the cluster's own path: `api/v1/namespaces/a/pods/p/status`. Undefined when they name no
 * resource. A Namespace is itself a resource, so that `namespaces/a/status` is a subresource and
 * `namespaces/a/pods` is not.
 */
export function parseResourcePath(segments: readonly string[]): ResourcePath | undefined {
  const [root, ...rest] = segments;
  if (root === "api") return parseVersion("", rest);
  if (root !== "apis") return undefined;
  const [group, ...others] = rest;
  return group ? parseVersion(group, others) : undefined;
}

function parseVersion(group: string, rest: readonly string[]): ResourcePath | undefined {
  const [version = "", prefix, ...watched] = rest;
  if (prefix !== "watch" || watched.length === 0) return parseRest(group, rest);
  const path = parseRest(group, [version, ...watched]);
  return path && path.subresource === undefined ? { ...path, watch: true } : undefined;
}

const NAMESPACE_SUBRESOURCES: ReadonlySet<string> = new Set(["status", "finalize"]);

function parseRest(group: string, [version, ...rest]: readonly string[]): ResourcePath | undefined {
  const [first, second, third] = rest;
  if (!version || !first) return undefined;
  const aboutNamespace =
    first === "namespaces" && (third === undefined || (group === "" && NAMESPACE_SUBRESOURCES.has(third)));
  if (first !== "namespaces" || aboutNamespace) {
    return target(group, version, undefined, rest);
  }
  return second && third ? target(group, version, second, rest.slice(2)) : undefined;
}

function target(
  group: string,
  version: string,
  namespace: string | undefined,
  parts: readonly string[],
): ResourcePath | undefined {
  const [resource, name, subresource, ...more] = parts;
  if (!resource || more.length > 0 || parts.includes("")) return undefined;
  return { group, version, namespace, resource, name, subresource };
}
