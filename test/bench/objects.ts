import type { Client } from "./client.ts";

/** What an owner reference needs to know of the owner. */
export interface Made {
  name: string;
  uid: string;
  resourceVersion: string;
}

const PAYLOAD = "v".repeat(200);
let namespaces = 0;

/** A namespace that nobody has used. */
export async function newNamespace(client: Client): Promise<string> {
  const name = `bench-${namespaces++}`;
  await client.send("POST", "/api/v1/namespaces", { metadata: { name } });
  return name;
}

export const configMaps = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps`;

/** A ConfigMap of about 500 bytes as stored, with a label that finds it again when it has an owner. */
export function configMap(name: string, owner?: Made, label = "dependent"): object {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, ...(owner && { labels: { bench: label }, ownerReferences: [referenceTo(owner)] }) },
    data: { k: PAYLOAD },
  };
}

function referenceTo({ name, uid }: Made): object {
  return { apiVersion: "v1", kind: "ConfigMap", name, uid, blockOwnerDeletion: true };
}

export async function create(client: Client, namespace: string, object: object): Promise<Made> {
  const body = await client.send("POST", configMaps(namespace), object);
  return JSON.parse(body.toString()).metadata;
}

/** Whether an object with this value of the label is left. */
export async function someLeft(client: Client, namespace: string, label = "dependent"): Promise<boolean> {
  const body = await client.send("GET", `${configMaps(namespace)}?labelSelector=bench%3D${label}&limit=1`);
  return JSON.parse(body.toString()).items.length > 0;
}

export async function exists(client: Client, namespace: string, name: string): Promise<boolean> {
  return (await client.ask("GET", `${configMaps(namespace)}/${name}`)).code !== 404;
}

export function deleteOwner(
  client: Client,
  namespace: string,
  name: string,
  propagationPolicy: string,
): Promise<Buffer> {
  return client.send("DELETE", `${configMaps(namespace)}/${name}`, {
    apiVersion: "v1",
    kind: "DeleteOptions",
    propagationPolicy,
  });
}
