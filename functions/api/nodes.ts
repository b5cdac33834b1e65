import { nodeRecordsName } from "../nodes/node-name.ts";
import type { NodeRecords, ReportAnswer } from "../nodes/node-records.ts";
import { printPlan } from "../nodes/report/print-plan.ts";
import { REPORT_LIMIT } from "../nodes/report/report-body.ts";
import type { Outcome } from "../objects/failure.ts";
import type { JsonObject } from "../objects/json.ts";
import { subdomainFaults } from "../objects/metadata/names.ts";
import type { GroupResource } from "../objects/object.ts";
import { mayReport } from "../objects/roles.ts";
import { jsonAnswer, plainText, refusal } from "./answer.ts";
import type { ApiContext } from "./context.ts";
import { isSuperseded } from "./faults.ts";
import { readBytes } from "./request-body.ts";

const NODES = "nodes" as GroupResource;

/**
 * `POST /clusters/{cluster}/nodes/{node}/report`: a node says what its runtime holds, and is told what to remove. The
 * answer is lines for a shell when the client asks for `text/plain`, and JSON otherwise.
 * Errors: MethodNotAllowed, Forbidden, BadRequest, RequestEntityTooLarge, UnsupportedMediaType, TooManyRequests.
 */
export async function answerNodeReport(
  context: ApiContext,
  records: DurableObjectNamespace<NodeRecords>,
  node: string,
  request: Request,
): Promise<Response> {
  if (request.method !== "POST") return refusal({ reason: "MethodNotAllowed" });
  const { principal, cluster } = context;
  const [fault] = subdomainFaults(node);
  if (fault !== undefined) {
    return refusal({ reason: "BadRequest", message: `the name of the node is not valid: ${fault}` });
  }
  if (!mayReport(principal, node)) {
    const message = `User ${JSON.stringify(principal.user)} cannot report for this node`;
    return refusal({ reason: "Forbidden", resource: NODES, name: node, message });
  }
  const body = await readBytes(request, REPORT_LIMIT);
  if (!body.ok) return refusal(body.failure);
  const mediaType = request.headers.get("content-type") ?? "";
  const attempt = (): Promise<Outcome<ReportAnswer>> =>
    records.getByName(nodeRecordsName(cluster, node)).report(body.value, mediaType) as Promise<
      Outcome<ReportAnswer>
    >;
  const answer = await attempt().catch((thrown: unknown) => {
    if (isSuperseded(thrown)) return attempt();
    throw thrown;
  });
  if (!answer.ok) return refusal(answer.failure);
  return asksForText(request)
    ? plainText(printPlan(answer.value.plan, answer.value.sequence))
    : jsonAnswer(planJson(answer.value));
}

const asksForText = (request: Request): boolean =>
  (request.headers.get("accept") ?? "").toLowerCase().includes("text/plain");

function planJson({ plan, sequence, faults }: ReportAnswer): JsonObject {
  return { ...plan, sequence, faults } as unknown as JsonObject;
}
