/** A graph object is found by the cluster's number and the namespace, `""` for cluster-scoped objects. */
export function graphName(cluster: number, namespace: string): string {
  return JSON.stringify([cluster, namespace]);
}

export function parseGraphName(name: string | undefined): { cluster: number; namespace: string } {
  const parts: unknown = name === undefined ? undefined : JSON.parse(name);
  if (!Array.isArray(parts) || typeof parts[0] !== "number" || typeof parts[1] !== "string") {
    throw new Error(`not the name of a graph object: ${name}`);
  }
  return { cluster: parts[0], namespace: parts[1] };
}
