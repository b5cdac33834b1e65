import { describe, expect, it } from "vitest";
import type { EventLine } from "./event-line.ts";
import { EventQueue, QUEUE_LIMITS, QueueMemory } from "./event-queue.ts";

const line = (text: string): EventLine => ({ bytes: new TextEncoder().encode(text), holders: 0 });
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const sized = (bytes: number): EventLine => ({ bytes: new Uint8Array(bytes), holders: 0 });

describe("an event queue", () => {
  it("gives whole lines in order, as many as fit", () => {
    const queue = new EventQueue(new QueueMemory(1000));
    for (const word of ["one\n", "two\n", "three\n"]) queue.offer(line(word));
    expect(text(queue.take(9))).toBe("one\ntwo\n");
    expect(text(queue.take(2))).toBe("three\n");
    expect(queue.length).toBe(0);
  });

  it("refuses a line too many, and takes it when there is room again", () => {
    const queue = new EventQueue(new QueueMemory(1e6));
    for (let i = 0; i < QUEUE_LIMITS.lines; i++) expect(queue.offer(line("x"))).toBe(true);
    expect(queue.offer(line("y"))).toBe(false);
    queue.take(1);
    expect(queue.offer(line("y"))).toBe(true);
    expect(text(queue.take(1e6)).at(-1)).toBe("y");
  });

  it("refuses bytes too many, but any one line when it is empty", () => {
    const queue = new EventQueue(new QueueMemory(1e9));
    expect(queue.offer(sized(QUEUE_LIMITS.bytes + 1))).toBe(true);
    expect(queue.offer(line("x"))).toBe(false);
  });

  it("counts a line once however many queues hold it, until the last lets go", () => {
    const memory = new QueueMemory(1000);
    const [a, b] = [new EventQueue(memory), new EventQueue(memory)];
    const shared = line("shared");
    a.offer(shared);
    b.offer(shared);
    expect(memory.held).toBe(6);
    a.take(100);
    expect(memory.held).toBe(6);
    b.discard();
    expect(memory.held).toBe(0);
  });

  it("lets only those within their share grow when memory is short", () => {
    const memory = new QueueMemory(100);
    memory.members = 2;
    const [greedy, modest] = [new EventQueue(memory), new EventQueue(memory)];
    greedy.offer(sized(101));
    expect(memory.exceeded).toBe(true);
    expect(greedy.offer(sized(1))).toBe(false);
    modest.offer(sized(20));
    expect(modest.offer(sized(30))).toBe(true);
    expect(modest.offer(sized(1))).toBe(false);
    greedy.discard();
    expect(modest.offer(sized(1))).toBe(true);
  });
});
