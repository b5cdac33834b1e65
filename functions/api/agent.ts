import { agentFile, isAgentFile } from "../nodes/agent/agent-files.ts";
import script from "../nodes/agent/kubegc-node.sh";
import { labelFaults } from "../objects/metadata/names.ts";
import { plainText } from "./answer.ts";

/**
 * `GET /clusters/{cluster}/agent/{file}`, for everybody: what a node needs to report, filled in with the address under
 * which it was asked for. Whether there is such a cluster is not said.
 */
export function answerAgentFile(cluster: string, file: string, url: string): Response {
  if (!isAgentFile(file) || labelFaults(cluster).length > 0) return plainText("404 page not found\n", 404);
  return plainText(agentFile(file, script, `${new URL(url).origin}/clusters/${cluster}`));
}
