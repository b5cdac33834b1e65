import { describe, expect, it } from "vitest";
import { Mailbox, type Turns } from "./mailbox.ts";

/** Turns that are taken when the test says so, and a log of what was taken. */
class Steps implements Turns<string, string> {
  readonly log: string[] = [];
  readonly #waiting: (() => void)[] = [];
  running = 0;
  most = 0;
  /** How many of the requests handed to it a group takes. */
  takes = Number.POSITIVE_INFINITY;
  slices = 0;
  failing: "group" | "slice" | undefined;

  async group(requests: readonly string[]): Promise<readonly string[]> {
    const taken = requests.slice(0, this.takes);
    await this.#turn(`group ${taken.join(" ")}`);
    if (this.failing === "group") throw new Error("broken");
    return taken.map((request) => `${request}!`);
  }

  async slice(): Promise<boolean> {
    this.slices--;
    await this.#turn("slice");
    if (this.failing === "slice") throw new Error("broken");
    return this.slices > 0;
  }

  async #turn(name: string): Promise<void> {
    this.log.push(name);
    this.most = Math.max(this.most, ++this.running);
    await new Promise<void>((go) => this.#waiting.push(go));
    this.running--;
  }

  /** Lets the turn that is running end. */
  async next(): Promise<void> {
    while (this.#waiting.length === 0) await new Promise((resolve) => setTimeout(resolve, 0));
    this.#waiting.shift()?.();
    await new Promise((resolve) => setTimeout(resolve, 0));
  }

  /** Ends turns until the promise has settled. */
  async until<T>(settled: Promise<T>): Promise<T> {
    let done = false;
    const result = settled.finally(() => {
      done = true;
    });
    result.catch(() => undefined);
    while (!done) {
      this.#waiting.shift()?.();
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    return result;
  }
}

describe("requests", () => {
  it("that come while a turn runs are the next group, in their order", async () => {
    const steps = new Steps();
    const mailbox = new Mailbox(steps, 10);
    const replies = ["a", "b", "c"].map((request) => mailbox.ask(request));
    expect(steps.log).toEqual(["group a"]);
    expect(await steps.until(Promise.all(replies))).toEqual(["a!", "b!", "c!"]);
    expect(steps.log).toEqual(["group a", "group b c"]);
  });

  it("that did not fit into a group go before those that came later", async () => {
    const steps = new Steps();
    steps.takes = 2;
    const mailbox = new Mailbox(steps, 10);
    const first = ["a", "b", "c", "d"].map((request) => mailbox.ask(request));
    await steps.next();
    const later = mailbox.ask("e");
    expect(await steps.until(Promise.all([...first, later]))).toEqual(["a!", "b!", "c!", "d!", "e!"]);
    expect(steps.log).toEqual(["group a", "group b c", "group d e"]);
  });

  it("of clients that were answered together wait for one another", async () => {
    const steps = new Steps();
    const mailbox = new Mailbox(steps, 10);
    const rounds = ["a", "b", "c"].map(async (request) => {
      await mailbox.ask(request);
      // One after another, as over a network; each sooner than there is a lull.
      for (let i = 0; i < request.charCodeAt(0) - 96; i++) await undefined;
      return mailbox.ask(`${request}2`);
    });
    await steps.until(Promise.all(rounds));
    expect(steps.log.at(-1)).toBe("group a2 b2 c2");
  });

  it("do not wait long for those that do not come", async () => {
    const steps = new Steps();
    const mailbox = new Mailbox(steps, 10);
    await steps.until(Promise.all(["a", "b", "c", "d"].map((request) => mailbox.ask(request))));
    expect(steps.log).toEqual(["group a", "group b c d"]);
    await steps.until(mailbox.ask("e"));
    const last = mailbox.ask("f");
    // After a group of one nobody is waited for.
    expect(steps.log).toEqual(["group a", "group b c d", "group e", "group f"]);
    expect(await steps.until(last)).toBe("f!");
  });

  it("are answered as soon as their own turn is over", async () => {
    const steps = new Steps();
    const mailbox = new Mailbox(steps, 10);
    const a = mailbox.ask("a");
    const b = mailbox.ask("b");
    await steps.next();
    expect(await a).toBe("a!");
    expect(steps.running).toBe(1);
    expect(await steps.until(b)).toBe("b!");
  });

  it("of a turn that throws fail, and those that come later do not", async () => {
    const steps = new Steps();
    steps.failing = "group";
    const mailbox = new Mailbox(steps, 10);
    const [a, b] = [mailbox.ask("a"), mailbox.ask("b")];
    await expect(steps.until(a)).rejects.toThrow("broken");
    steps.failing = undefined;
    expect(await steps.until(b)).toBe("b!");
    expect(await steps.until(mailbox.ask("c"))).toBe("c!");
  });

  it("are refused beyond the limit, until some were taken", async () => {
    const steps = new Steps();
    const mailbox = new Mailbox(steps, 2);
    const running = mailbox.ask("a");
    expect(mailbox.full).toBe(false);
    const waiting = [mailbox.ask("b"), mailbox.ask("c")];
    expect(mailbox.full).toBe(true);
    await steps.next();
    expect(mailbox.full).toBe(false);
    await steps.until(Promise.all([running, ...waiting]));
  });

  it("wake a mailbox that is just coming to rest, however many steps after a reply they come", async () => {
    for (let steps = 0; steps < 10; steps++) {
      const mailbox = new Mailbox<string, string>(
        { group: async (requests) => requests, slice: async () => false },
        10,
      );
      await mailbox.ask("a");
      for (let i = 0; i < steps; i++) await undefined;
      const answered = await Promise.race([
        mailbox.ask("b"),
        new Promise((resolve) => setTimeout(resolve, 50, "never")),
      ]);
      expect(answered, `after ${steps} steps`).toBe("b");
    }
  });
});

describe("work", () => {
  it("goes on until nothing is left, and then the mailbox is at rest", async () => {
    const steps = new Steps();
    steps.slices = 3;
    const mailbox = new Mailbox(steps, 10);
    await steps.until(mailbox.work());
    expect(steps.log).toEqual(["slice", "slice", "slice"]);
    expect(steps.running).toBe(0);
  });

  it("alternates with requests, so that neither starves", async () => {
    const steps = new Steps();
    steps.slices = 3;
    const mailbox = new Mailbox(steps, 10);
    const rest = mailbox.work();
    const replies: Promise<string>[] = [];
    for (const request of ["a", "b", "c"]) {
      while (steps.running === 0) await new Promise((resolve) => setTimeout(resolve, 0));
      replies.push(mailbox.ask(request));
      await steps.next();
    }
    await steps.until(Promise.all([rest, ...replies]));
    expect(steps.log).toEqual(["slice", "group a", "slice", "group b c", "slice"]);
  });

  it("that comes while a slice runs gets a slice of its own", async () => {
    const steps = new Steps();
    steps.slices = 1;
    const mailbox = new Mailbox(steps, 10);
    const first = mailbox.work();
    while (steps.running === 0) await new Promise((resolve) => setTimeout(resolve, 0));
    const second = mailbox.work();
    await steps.until(Promise.all([first, second]));
    expect(steps.log).toEqual(["slice", "slice"]);
  });

  it("whose slice throws ends, and requests go on", async () => {
    const steps = new Steps();
    steps.slices = 5;
    steps.failing = "slice";
    const mailbox = new Mailbox(steps, 10);
    await steps.until(mailbox.work());
    expect(steps.log).toEqual(["slice"]);
    expect(await steps.until(mailbox.ask("a"))).toBe("a!");
  });
});

it("one turn runs at a time, whatever comes", async () => {
  const steps = new Steps();
  steps.slices = 5;
  steps.takes = 3;
  const mailbox = new Mailbox(steps, 100);
  const all: Promise<unknown>[] = [];
  for (let i = 0; i < 30; i++) {
    all.push(i % 7 === 0 ? mailbox.work() : mailbox.ask(String(i)));
    if (i % 3 === 0) await steps.next();
  }
  await steps.until(Promise.all(all));
  expect(steps.most).toBe(1);
});
