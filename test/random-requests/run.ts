import type { TestCluster } from "../cluster.ts";
import { Acquaintances } from "./acquaintances.ts";
import { answerFault } from "./answer-fault.ts";
import { diceOf } from "./dice.ts";
import { Places, servedKinds } from "./places.ts";
import { type RandomRequest, randomRequest } from "./request.ts";
import { type RawAnswer, senderTo } from "./send.ts";

const CONNECTIONS = 48;

export interface RunResult {
  /** What was wrong, with the request to send again. */
  faults: string[];
  /** How many answers had each code. */
  codes: Map<number, number>;
}

/**
 * Sends so many random requests, many at once. A request is drawn from the seed and its own number; only what it says of
 * known objects depends on the answers before.
 */
export async function sendRandomRequests(
  cluster: TestCluster,
  tokens: readonly (string | undefined)[],
  count: number,
  seed: number,
): Promise<RunResult> {
  const places = new Places(await servedKinds(cluster));
  const known = new Acquaintances();
  const sender = senderTo(cluster.base, CONNECTIONS);
  const faults: string[] = [];
  const codes = new Map<number, number>();
  let next = 0;
  const connection = async () => {
    while (next < count) {
      const dice = diceOf(Math.imul(seed, 1_000_003) + next++);
      const request = randomRequest(dice, places, known);
      const token = dice.percent(97) ? cluster.token : dice.one(tokens);
      try {
        const answer = await sender.send(request, token);
        codes.set(answer.code, (codes.get(answer.code) ?? 0) + 1);
        const fault = answerFault(request.method, answer);
        if (fault !== undefined) faults.push(`${told(request)}\n  ${fault}: ${answer.text.slice(0, 500)}`);
        learn(known, answer);
      } catch (error) {
        faults.push(`${told(request)}\n  ${error}`);
      }
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  sender.close();
  return { faults, codes };
}

function learn(known: Acquaintances, { code, text }: RawAnswer): void {
  if (code !== 200 && code !== 201) return;
  try {
    known.learn(JSON.parse(text));
  } catch {
    // YAML, a watch, nothing.
  }
}

function told({ method, path, headers, body }: RandomRequest): string {
  const text = Buffer.from(body ?? "").toString("latin1");
  return `${method} ${path} ${JSON.stringify(headers)} ${JSON.stringify(text.slice(0, 1500))}`;
}
