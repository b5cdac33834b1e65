import { z } from "zod";
import { KUBEGC } from "../objects/kinds/kubegc.ts";
import { type FencePolicy, fenced } from "./fence.ts";

const API_VERSION = `${KUBEGC}/v1alpha1`;

/** What a message of somebody outside may take of a status or an Event. */
const MESSAGE_LENGTH = 1000;

/**
 * A question as a document, in the manner of an AdmissionReview: the answer names the request's `uid`. That of an order is
 * the same each time it is repeated, so that it is carried out once.
 */
export interface Review {
  kind: "VolumeReclaimReview" | "InstanceReview";
  request: { uid: string; [field: string]: unknown };
}

export type ReviewAnswer<Result> = { result: Result; message: string } | { problem: string };

/**
 * Asks an endpoint. Only a document of the same kind, for the same request, with one of the results is an answer;
 * anything else (an error page, a 404 of a wrong path, half a document) is a problem, and problems free nothing and delete
 * nothing.
 */
export async function review<const Result extends string>(
  endpoint: string,
  { kind, request }: Review,
  results: readonly Result[],
  policy: FencePolicy,
): Promise<ReviewAnswer<Result>> {
  const called = await fenced(
    endpoint,
    {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json",
        "idempotency-key": JSON.stringify(request.uid),
      },
      body: JSON.stringify({ apiVersion: API_VERSION, kind, request }),
    },
    policy,
  );
  if (!called.ok) return { problem: called.message };
  if (called.status !== 200) return { problem: `${called.shown} answered ${called.status}` };
  const answer = z
    .object({
      apiVersion: z.literal(API_VERSION),
      kind: z.literal(kind),
      response: z.object({
        uid: z.literal(request.uid),
        result: z.enum(results),
        message: z.string().default(""),
      }),
    })
    .safeParse(parsed(called.text));
  if (!answer.success) {
    const [issue] = answer.error.issues;
    const field = issue === undefined || issue.path.length === 0 ? "" : `: ${issue.path.join(".")}`;
    return { problem: `${called.shown} did not answer with a ${kind} for this request${field}` };
  }
  const { result, message } = answer.data.response;
  return { result: result as Result, message: message.slice(0, MESSAGE_LENGTH) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
