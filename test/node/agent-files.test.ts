import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { agentFile } from "../../functions/nodes/agent/agent-files.ts";
import { SCRIPT as PATH } from "./machine.ts";

const SCRIPT = readFileSync(PATH, "utf8");
const URLS = [
  "https://kubegc.example/clusters/acme",
  "http://[::1]:8787/clusters/a",
  "http://o'k$(x)%`/clusters/a",
];

test.each(URLS)("the script knows %s, and a shell reads it as it is", (url) => {
  const script = agentFile("kubegc-node.sh", SCRIPT, url);
  const [assignment = ""] = script.split("\n").filter((line) => line.startsWith("served_url="));
  expect(execFileSync("sh", ["-c", `${assignment}; printf %s "$served_url"`], { encoding: "utf8" })).toBe(
    url,
  );
  expect(script.replace(assignment, "served_url=''")).toBe(SCRIPT);
});

test.each(URLS)("the DaemonSet brings that script to every node, with %s", (url) => {
  const [configMap, set] = parseAllDocuments(agentFile("daemonset.yaml", SCRIPT, url)).map((each) =>
    each.toJS(),
  );
  expect(configMap.data["kubegc-node.sh"]).toBe(agentFile("kubegc-node.sh", SCRIPT, url));
  const [container] = set.spec.template.spec.containers;
  expect(container.env).toContainEqual({ name: "KUBEGC_URL", value: url });
  expect(set.spec.template.spec.volumes).toContainEqual({
    name: "script",
    configMap: { name: configMap.metadata.name },
  });
});

test("the unit runs once, with the address; what systemd would replace is written twice", () => {
  const unit = agentFile("kubegc-node.service", SCRIPT, "http://x%20y/clusters/a");
  expect(unit).toContain('Environment="KUBEGC_URL=http://x%%20y/clusters/a"\n');
  expect(unit).toContain("kubegc-node.sh --once\n");
  expect(agentFile("kubegc-node.timer", SCRIPT, "")).toContain("OnUnitInactiveSec=1min\n");
});
