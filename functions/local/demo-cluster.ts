import { z } from "zod";

const created = z.object({ token: z.string().min(1) });

/**
 * Asks the Worker for a cluster of this name.
 *
 * @returns the admin token it was made with, or undefined when the cluster was there already
 * @throws Error with the Worker's answer when it is refused
 */
export async function ensureCluster(
  worker: URL,
  name: string,
  rootToken: string,
): Promise<string | undefined> {
  const response = await fetch(new URL("/clusters", worker), {
    method: "POST",
    headers: { authorization: `Bearer ${rootToken}`, "content-type": "application/json" },
    body: JSON.stringify({ name }),
  });
  const answer = await response.text();
  if (response.status === 201) return created.parse(JSON.parse(answer)).token;
  if (response.status === 409) return undefined;
  throw new Error(`cluster ${name} could not be made: ${response.status} ${answer}`);
}
