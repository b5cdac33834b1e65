/** A record object is found by the cluster's number and the node's name. */
export function nodeRecordsName(cluster: number, node: string): string {
  return JSON.stringify([cluster, node]);
}

export function parseNodeRecordsName(name: string | undefined): { cluster: number; node: string } {
  const parts: unknown = name === undefined ? undefined : JSON.parse(name);
  if (!Array.isArray(parts) || typeof parts[0] !== "number" || typeof parts[1] !== "string") {
    throw new Error(`not the name of a node's record: ${name}`);
  }
  return { cluster: parts[0], node: parts[1] };
}
