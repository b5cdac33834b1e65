import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Listener, plan } from "./listener.ts";
import { hexOf, Machine } from "./machine.ts";

const RMI_ABSENT = new URL("../recorded/crictl/rmi-absent.txt", import.meta.url);
const TOKEN = "secret-of-the-node";
const APP = "docker.io/library/app:1";
const SHELLS = ["dash", "bash", "busybox sh", "sh"].filter((shell) => {
  const [command = "", ...words] = shell.split(" ");
  return spawnSync(command, [...words, "-c", "exit 0"]).status === 0;
});

let machine: Machine;
let service: Listener;
let access: { KUBEGC_URL: string; KUBEGC_TOKEN: string };
beforeEach(async () => {
  machine = new Machine();
  service = await Listener.start();
  access = { KUBEGC_URL: service.url, KUBEGC_TOKEN: TOKEN };
});
afterEach(async () => {
  machine.dispose();
  await service.stop();
});

const once = (more: Record<string, string> = {}, shell?: string) =>
  machine.run(["--once"], { ...access, ...more }, shell);
/** As a person at that machine would see it. */
const crictlPrints = (command: string): string =>
  execFileSync("sh", ["-c", `$CRICTL ${command} -o json`], { env: machine.environment(), encoding: "utf8" });

describe("the report", () => {
  test.each(["older", "newer"] as const)(
    "is what crictl prints, unchanged, and df's figures; %s crictl",
    async (format) => {
      machine.change((state) => {
        state.format = format;
      });
      machine.container("web", "nginx", machine.image(APP, 5000), "RUNNING");
      mkdirSync(join(machine.folder, "pods", "default_web_uid-web"));
      mkdirSync(join(machine.folder, "kubelet", "pods", "uid-web"), { recursive: true });
      symlinkSync("/nowhere", join(machine.folder, "containers", "web_default_nginx-abcdef.log"));
      symlinkSync(machine.folder, join(machine.folder, "containers", "alive.log"));
      const run = await once();
      expect(run).toEqual({ code: 0, stdout: "kubegc-node: nothing to remove\n", stderr: "" });
      const [report] = service.received;
      expect(report).toMatchObject({
        path: "/clusters/demo/nodes/machine-1/report",
        authorization: `Bearer ${TOKEN}`,
        parts: {
          images: crictlPrints("images"),
          containers: crictlPrints("ps -a"),
          pods: crictlPrints("pods"),
          imagefsinfo: crictlPrints("imagefsinfo"),
          logs: "default_web_uid-web\n",
          links: "web_default_nginx-abcdef.log\n",
          "kubelet-pods": "uid-web\n",
        },
      });
      const path = join(machine.folder, "kubelet");
      expect(report?.parts.df).toContain(`# nodefs -k ${path}\nFilesystem 1024-blocks`);
      expect(report?.parts.df).toContain(`# fs -i ${path}\nFilesystem Inodes`);
      expect(report?.parts.agent).toMatch(/^version 1\nsequence \d+\ntime \d+\nmode run\nboot \S+\n$/);
    },
  );

  test("has a sequence that grows, also within a second", async () => {
    for (let i = 0; i < 3; i++) await once();
    const sequences = service.received.map(({ parts }) =>
      Number(/sequence (\d+)/.exec(parts.agent ?? "")?.[1]),
    );
    expect(sequences).toEqual([...new Set(sequences)].sort((a, b) => a - b));
  });

  test("goes on from the highest sequence that the service has seen", async () => {
    service.answer(plan(0, 0, []).replace("again 60", "again 60\nsequence 9999999999"));
    await once();
    await once();
    expect(service.received[1]?.parts.agent).toContain("sequence 10000000000\n");
  });

  test("says what the runtime could not list, and the run fails", async () => {
    machine.change((state) => {
      state.trouble = { ps: "listing containers: connection refused" };
    });
    const run = await once();
    expect(run.code).toBe(74);
    expect(run.stderr).toContain("cannot list containers: listing containers: connection refused");
    const { parts } = service.received[0] ?? { parts: {} as Record<string, string> };
    expect(parts.agent).toContain("failed containers listing containers: connection refused\n");
    expect(parts).not.toHaveProperty("containers");
    expect(parts).toHaveProperty("images");
  });

  test("does not show the token in the list of processes", async () => {
    let processes = "";
    service.onReport = () => {
      processes = execFileSync("sh", ["-c", "cat /proc/[0-9]*/cmdline | tr '\\0' ' '"], { encoding: "utf8" });
    };
    await once();
    expect(processes).toContain("curl -q -K -");
    expect(processes).not.toContain(TOKEN);
  });
});

describe("a plan", () => {
  test.each(SHELLS)("is carried out in its order, told, and reported; %s", async (shell) => {
    const image = machine.image(APP, 4_045_660);
    const other = machine.image("docker.io/library/other:1", 1000);
    const container = machine.container("web", "nginx", image, "EXITED");
    const unknown = machine.container("web", "side", other, "UNKNOWN");
    const sandbox = machine.state.sandboxes[0]?.id ?? "";
    const logs = join(machine.folder, "pods", "default_old_uid-old");
    mkdirSync(logs);
    writeFileSync(join(logs, "0.log"), "x");
    const link = join(machine.folder, "containers", "old-abcdef.log");
    symlinkSync("/nowhere", link);
    service.answer(
      plan(7, 120, [
        `stop ${unknown}`,
        `rm ${unknown}`,
        `rm ${container}`,
        `stopp ${sandbox}`,
        `rmp ${sandbox}`,
        `rmi ${image} 4045660 ${APP}`,
        "rmlog default_old_uid-old",
        "rmlink old-abcdef.log",
      ]),
    );
    const run = await once({}, shell);
    expect(run.stderr).toBe("");
    expect(run.code).toBe(0);
    expect(machine.removals()).toEqual([
      `stop --timeout 30 ${unknown}`,
      `rm ${unknown}`,
      `rm ${container}`,
      `stopp ${sandbox}`,
      `rmp ${sandbox}`,
      `rmi ${image}`,
    ]);
    expect(existsSync(logs)).toBe(false);
    expect(run.stdout).toContain(`removed image ${APP}, 4.0 MB\n`);
    expect(run.stdout).toContain("freed 4.0 MB: 1 images, 2 containers, 1 sandboxes, 1 log folders\n");
    expect(machine.state.images.map(({ id }) => id)).toEqual([other]);
    expect(service.received).toHaveLength(2);
    expect(service.received[1]?.parts.results).toBe(
      [
        "plan 7 carried-out",
        `done stop ${unknown}`,
        `done rm ${unknown}`,
        `done rm ${container}`,
        `done stopp ${sandbox}`,
        `done rmp ${sandbox}`,
        `done rmi ${image}`,
        "done rmlog default_old_uid-old",
        "done rmlink old-abcdef.log",
        "",
      ].join("\n"),
    );
  });

  test("goes on after a step that failed, and says so", async () => {
    const image = machine.image(APP, 1000);
    const stuck = machine.container("web", "nginx", image, "EXITED");
    const next = machine.container("web", "nginx", image, "EXITED");
    machine.change((state) => {
      state.stuck = [stuck];
    });
    service.answer(plan(1, 120, [`stop ${stuck}`, `rm ${stuck}`, `rm ${next}`, `rm ${hexOf("gone")}`]));
    const run = await once();
    expect(run.code).toBe(1);
    expect(run.stderr).toContain(
      `stop ${stuck} failed: stopping the container ${stuck}: context deadline exceeded`,
    );
    expect(service.received[1]?.parts.results?.split("\n")).toEqual([
      "plan 1 carried-out",
      `failed stop ${stuck} stopping the container ${stuck}: context deadline exceeded`,
      `skipped rm ${stuck} it could not be stopped`,
      `done rm ${next}`,
      expect.stringMatching(new RegExp(`^skipped rm ${hexOf("gone")} gone already: .*not found$`)),
      "",
    ]);
    expect(machine.state.containers.map(({ id }) => id)).toEqual([stuck]);
  });

  test("counts an image that is gone already as no failure, in the words of a real crictl", async () => {
    const [first = "", second = "", exit = ""] = readFileSync(RMI_ABSENT, "utf8").trim().split("\n");
    writeFileSync(join(machine.folder, "words"), `${first}\n${second}\n`);
    machine.program(
      "quick",
      `#!/bin/sh\nif [ "$1" = rmi ]; then cat "$CRICTL_STATE/words" >&2; ${exit}; fi\necho "{}"\n`,
    );
    const image = `sha256:${hexOf("absent")}`;
    service.answer(plan(1, 120, [`rmi ${image} 1000 ${APP}`]));
    const run = await once({ CRICTL: "quick" });
    expect(run.code).toBe(0);
    expect(service.received[1]?.parts.results).toBe(
      `plan 1 carried-out
skipped rmi ${image} gone already: no such image sha256:doesnotexist; unable to remove the image(s)
`,
    );
  });

  test.each(["id", "tag", "digest"])(
    "leaves an image that came into use since the report, by its %s",
    async (by) => {
      const digest = `docker.io/library/app@sha256:${hexOf("digest")}`;
      const image = machine.image(APP, 1000, { repoDigests: [digest] });
      service.onReport = () => {
        if (service.received.length > 1) return;
        machine.container("new", "app", by === "id" ? image : by === "tag" ? APP : digest, "RUNNING");
      };
      service.answer(plan(1, 120, [`rmi ${image} 1000 ${APP} ${digest}`]));
      const run = await once();
      expect(machine.removals()).toEqual([]);
      expect(run.code).toBe(0);
      expect(service.received[1]?.parts.results).toBe(
        `plan 1 carried-out\nskipped rmi ${image} in use by now\n`,
      );
    },
  );

  test("leaves images when containers cannot be listed any more", async () => {
    const image = machine.image(APP, 1000);
    service.onReport = () =>
      machine.change((state) => {
        state.trouble = { ps: "connection refused" };
      });
    service.answer(plan(1, 120, [`rmi ${image} 1000 ${APP}`]));
    await once();
    expect(machine.removals()).toEqual([]);
    expect(service.received[1]?.parts.results).toContain(
      `skipped rmi ${image} the containers cannot be listed: connection refused`,
    );
  });

  test("leaves the logs of a pod that is there by now, links that lead somewhere, and what is no folder", async () => {
    const logs = join(machine.folder, "pods", "default_web_uid-web");
    mkdirSync(logs);
    symlinkSync(machine.folder, join(machine.folder, "pods", "linked"));
    symlinkSync(machine.folder, join(machine.folder, "containers", "alive.log"));
    machine.container("web", "nginx", machine.image(APP, 1), "RUNNING");
    service.answer(plan(1, 120, ["rmlog default_web_uid-web", "rmlog linked", "rmlink alive.log"]));
    await once();
    expect(existsSync(logs)).toBe(true);
    expect(existsSync(join(machine.folder, "containers", "alive.log"))).toBe(true);
    expect(service.received[1]?.parts.results).toBe(
      `plan 1 carried-out
skipped rmlog default_web_uid-web its pod runs by now
skipped rmlog linked gone already
skipped rmlink alive.log gone already, or it leads somewhere by now
`,
    );
  });

  test("that came too late is not begun", async () => {
    const image = machine.image(APP, 1000);
    service.answer(plan(3, 0, [`rmi ${image} 1000 ${APP}`]));
    const run = await once();
    expect(run.stderr).toContain("the plan came too late");
    expect(machine.removals()).toEqual([]);
    await once();
    expect(service.received[1]?.parts.results).toBe("plan 3 expired\n");
  });

  test("with --dry-run is printed; nothing is removed, and the service is told so", async () => {
    const image = machine.image(APP, 4_045_660);
    const container = machine.container("web", "nginx", image, "EXITED");
    service.answer(plan(4, 120, [`rm ${container}`, `rmi ${image} 4045660 ${APP}`, "rmlog default_x_u"]));
    const run = await machine.run(["--dry-run"], access);
    expect(run).toEqual({
      code: 0,
      stdout: `kubegc-node: would remove container ${container}
kubegc-node: would remove image ${APP}, 4.0 MB
kubegc-node: would remove logs default_x_u
`,
      stderr: "",
    });
    expect(machine.removals()).toEqual([]);
    expect(service.received[0]?.parts.agent).toContain("mode dry-run\n");
    await once();
    expect(service.received[1]?.parts.results).toBe("plan 4 dry-run\n");
  });
});

describe("an answer that is not a plan to be trusted is refused whole", () => {
  const HEX = hexOf("x");
  const lines = (...steps: string[]) => plan(9, 120, [`rm ${HEX}`, ...steps]);
  test.each([
    ["an id that is cut short", lines(`rm ${HEX.slice(0, 12)}`)],
    ["an image by name", lines(`rmi ${APP} 1`)],
    ["a command behind an id", lines(`rm ${HEX}; reboot`)],
    ["a substitution", lines("rmlog $(touch hacked)")],
    ["backquotes", lines("rmlog `touch hacked`")],
    ["a path", lines("rmlog ../../etc")],
    ["the parent folder", lines("rmlog ..")],
    ["an absolute path", lines("rmlog /etc")],
    ["an option", lines("rmlog -rf")],
    ["an option as an image's name", lines(`rmi sha256:${HEX} 1 -e`)],
    ["a pattern", lines("rmlog *")],
    ["a link that is no log", lines("rmlink passwd")],
    ["another command", lines("rmi-all x")],
    ["an option of crictl", lines(`rm -f ${HEX}`)],
    ["capital digits", lines(`rm ${HEX.toUpperCase()}`)],
    ["a tab", lines(`rm\t${HEX}`)],
    ["a carriage return", lines(`rm ${HEX}\r`)],
    ["a zero byte", lines(`rm ${HEX}\0`)],
    ["letters beyond ASCII", lines(`rmlog \u00e4${HEX}`)],
    ["two spaces", lines(`rm  ${HEX}`)],
    ["nothing", ""],
    ["a web page", "<html>sign in</html>"],
    ["another version", lines().replace("kubegc-plan 1", "kubegc-plan 2")],
    ["no end", lines().replace(/end .*\n/, "")],
    ["an end that does not fit", lines().replace("end 1", "end 2")],
    ["an end in the middle of its line", lines().replace(/end 1\n/, "en")],
    ["more after the end", `${lines()}rm ${HEX}\n`],
    ["a life that is no number", lines().replace("plan 9 120", "plan 9 0x10")],
  ])("%s", async (_, answer) => {
    machine.program("quick", '#!/bin/sh\necho "$*" >> "$CRICTL_STATE/calls"\necho "{}"\n');
    service.answer(answer);
    const run = await once({ CRICTL: "quick" });
    expect(run.code).toBe(70);
    expect(run.stderr).toContain("the answer is not a plan that can be trusted");
    expect(machine.calls()).toEqual([
      "images -o json",
      "imagefsinfo -o json",
      "ps -a -o json",
      "pods -o json",
    ]);
  });

  test("and the service is told which", async () => {
    service.answer(lines("rmlog .."));
    await once();
    await once();
    expect(service.received[1]?.parts.results).toBe("plan 9 refused\n");
  });
});

describe("a service that does not answer", () => {
  test("ends the run; nothing is removed, and results are kept for the next", async () => {
    const image = machine.image(APP, 1000);
    service.answer(plan(1, 120, [`rmi ${image} 1000 ${APP}`]), { code: 503, body: "" });
    const run = await once();
    expect(run.code).toBe(69);
    expect(run.stderr).toContain("cannot reach");
    expect(run.stdout).toContain("freed 1.0 kB");
    await once();
    expect(service.received[2]?.parts.results).toBe(`plan 1 carried-out\ndone rmi ${image}\n`);
    await once();
    expect(service.received[3]?.parts).not.toHaveProperty("results");
  });

  test("is asked again with the same report", async () => {
    const image = machine.image(APP, 1000);
    service.answer("drop", plan(1, 120, [`rmi ${image} 1000 ${APP}`]));
    const run = await once({ KUBEGC_TRIES: "2" });
    expect(run.code).toBe(0);
    const [first, second, third] = service.received.map(
      ({ parts }) => /sequence (\d+)/.exec(parts.agent ?? "")?.[1],
    );
    expect(second).toBe(first);
    expect(Number(third)).toBeGreaterThan(Number(second));
    expect(machine.removals()).toEqual([`rmi ${image}`]);
  });

  test("is not there at all", async () => {
    await service.stop();
    const run = await once();
    expect(run.code).toBe(69);
    expect(run.stderr).toMatch(/cannot reach http:\S+: curl: \(7\)/);
    service = await Listener.start();
  });

  test.each([
    [401, 77, "the service refuses the token (401)"],
    [403, 77, "the service refuses the token (403)"],
    [400, 70, "the service answers 400: the name is 'odd'"],
  ])("answers %i", async (code, exit, words) => {
    service.answer({ code, body: JSON.stringify({ kind: "Status", message: 'the name is "odd"', code }) });
    const run = await once({ KUBEGC_TRIES: "3" });
    expect(run.code).toBe(exit);
    expect(run.stderr).toContain(words);
    expect(service.received).toHaveLength(1);
  });
});

describe("the lock", () => {
  const owner = () => join(machine.folder, "agent", "lock", "owner");

  test("lets only one run at a time", async () => {
    let second: Promise<{ code: number | null; stderr: string }> | undefined;
    service.onReport = async () => {
      if (second !== undefined) return;
      second = once();
      await second;
    };
    const first = await once();
    expect(first.code).toBe(0);
    expect(await second).toMatchObject({
      code: 75,
      stderr: expect.stringContaining("another run is going on"),
    });
    expect(service.received).toHaveLength(1);
    expect(existsSync(owner())).toBe(false);
  });

  test.each([
    ["a process that is gone", "999999 5 boot\n"],
    ["another process with its number", `${process.pid} 5 ${bootId()}\n`],
    ["an earlier boot", `${process.pid} 5 earlier\n`],
    ["one that died while it took it", ""],
  ])("of %s is taken over", async (_, text) => {
    mkdirSync(join(machine.folder, "agent", "lock"), { recursive: true });
    if (text !== "") writeFileSync(owner(), text);
    expect((await once()).code).toBe(0);
    expect(existsSync(join(machine.folder, "agent", "lock"))).toBe(false);
  });

  test("of one that died is taken over by one of many", async () => {
    mkdirSync(join(machine.folder, "agent", "lock"), { recursive: true });
    writeFileSync(owner(), "999999 5 boot\n");
    let inside = 0;
    let most = 0;
    service.onReport = async () => {
      most = Math.max(most, ++inside);
      await new Promise((done) => setTimeout(done, 500));
      inside--;
    };
    const runs = await Promise.all(Array.from({ length: 6 }, () => once()));
    expect(most).toBe(1);
    expect(runs.map(({ code }) => code)).toContain(0);
    expect(runs.every(({ code }) => code === 0 || code === 75)).toBe(true);
  });

  test("is let go when the agent is told to end", async () => {
    const reported = new Promise<void>((done) => {
      service.onReport = () => done();
    });
    const child = machine.begin([], access);
    await reported;
    const ended = new Promise<number | null>((done) => child.once("close", done));
    child.kill("SIGTERM");
    expect(await ended).toBe(143);
    expect(existsSync(owner())).toBe(false);
  });
});

describe("settings", () => {
  test.each([
    [{ KUBEGC_URL: "" }, "KUBEGC_URL is not set"],
    [{ KUBEGC_URL: "ftp://x" }, "KUBEGC_URL must be an http or https URL"],
    [{ KUBEGC_URL: 'http://x"\nurl = "http://y' }, "KUBEGC_URL holds a character that is not taken"],
    [{ KUBEGC_TOKEN: "" }, "KUBEGC_TOKEN is not set"],
    [{ KUBEGC_TOKEN: 'x"\noutput = "/etc/passwd' }, "KUBEGC_TOKEN holds a character that no token has"],
    [{ KUBEGC_NODE: "../x" }, "KUBEGC_NODE must be a node's name"],
    [{ CRICTL: "no-such-crictl ps" }, "no-such-crictl ps is not here; set CRICTL"],
  ])("%j is refused", async (wrong, words) => {
    const run = await once(wrong);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(words);
    expect(service.received).toEqual([]);
  });

  test("the token may be in a file", async () => {
    const path = join(machine.folder, "token");
    writeFileSync(path, `${TOKEN}\n`);
    expect((await once({ KUBEGC_TOKEN: "", KUBEGC_TOKEN_FILE: path })).code).toBe(0);
    expect(service.received[0]?.authorization).toBe(`Bearer ${TOKEN}`);
  });

  test("an unknown argument is refused", async () => {
    const run = await machine.run(["--twice"], access);
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining("unknown argument --twice") });
  });
});

function bootId(): string {
  const path = "/proc/sys/kernel/random/boot_id";
  return existsSync(path) ? readFileSync(path, "utf8").trim() : "";
}
