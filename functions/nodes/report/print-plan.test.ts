import { expect, test } from "vitest";
import type { PlanStep } from "../plan/plan.ts";
import { isPrintable, printPlan } from "./print-plan.ts";
import type { ContainerId, ImageId, SandboxId } from "./report.ts";

const HEX = "d74226fde1aa617d4dfa0d020849dd0111d5f128418229b5b120afc9a31119cd";
const id = HEX as ContainerId & SandboxId;
const rmi = (image: string, ...names: string[]): PlanStep => ({
  verb: "rmi",
  id: image as ImageId,
  handler: "",
  bytes: 4045660,
  names,
  reason: "space",
});

test("a plan is lines: what the agent carries out, in order, and how many", () => {
  const steps: PlanStep[] = [
    { verb: "stop", id },
    { verb: "rm", id },
    { verb: "stopp", id },
    { verb: "rmp", id },
    rmi(`sha256:${HEX}`, "docker.io/library/app:1", `docker.io/library/app@sha256:${HEX}`),
    { verb: "rmlog", id: "shop_web_u1" },
    { verb: "rmlink", id: "web_shop_web-abc.log" },
  ];
  expect(printPlan({ number: 42, lifeSeconds: 120, nextReportSeconds: 60, steps, withheld: [] })).toBe(
    `kubegc-plan 1
plan 42 120
again 60
stop ${HEX}
rm ${HEX}
stopp ${HEX}
rmp ${HEX}
rmi sha256:${HEX} 4045660 docker.io/library/app:1 docker.io/library/app@sha256:${HEX}
rmlog shop_web_u1
rmlink web_shop_web-abc.log
end 7
`,
  );
});

test("the highest sequence goes with it", () => {
  const plan = { number: 0, lifeSeconds: 0, nextReportSeconds: 60, steps: [], withheld: [] };
  expect(printPlan(plan, 17)).toBe("kubegc-plan 1\nplan 0 0\nagain 60\nsequence 17\nend 0\n");
});

test.each<[string, PlanStep]>([
  ["an id that is cut short", { verb: "rm", id: HEX.slice(0, 12) as ContainerId }],
  ["a path", { verb: "rmlog", id: "../etc" }],
  ["two dots", { verb: "rmlog", id: "a..b" }],
  ["an option", { verb: "rmlog", id: "-rf" }],
  ["a command", { verb: "rmlink", id: "$(reboot).log" }],
  ["a line break in a name", rmi(HEX, "app:1\nrmlog x")],
  ["an image by name", rmi("nginx")],
])("what the agent would refuse is not printed: %s", (_, step) => {
  expect(isPrintable(step)).toBe(false);
  const plan = { number: 1, lifeSeconds: 1, nextReportSeconds: 1, steps: [step], withheld: [] };
  expect(printPlan(plan)).toBe("kubegc-plan 1\nplan 1 1\nagain 1\nend 0\n");
});
