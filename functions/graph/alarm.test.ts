import { describe, expect, it } from "vitest";
import { Alarm } from "./alarm.ts";

class Storage {
  set: number | null;
  constructor(set: number | null = null) {
    this.set = set;
  }
  async getAlarm() {
    return this.set;
  }
  async setAlarm(at: number) {
    this.set = at;
  }
}

const NOW = 1_000_000;

describe("an alarm", () => {
  it("is set for the earliest of the moments it was asked for", async () => {
    const storage = new Storage();
    const alarm = new Alarm(storage);
    await Promise.all([alarm.by(NOW + 50, NOW), alarm.by(NOW + 20, NOW), alarm.by(NOW + 90, NOW)]);
    expect(storage.set).toBe(NOW + 20);
  });

  it("leaves an earlier one that an object of its name had set", async () => {
    const storage = new Storage(NOW + 5);
    await new Alarm(storage).by(NOW + 20, NOW);
    expect(storage.set).toBe(NOW + 5);
  });

  it("is set anew after it came", async () => {
    const storage = new Storage();
    const alarm = new Alarm(storage);
    await alarm.by(NOW + 20, NOW);
    alarm.came();
    storage.set = null;
    await alarm.by(NOW + 90, NOW);
    expect(storage.set).toBe(NOW + 90);
  });

  it("comes at once for what is over, and within a day for what is far", async () => {
    const storage = new Storage();
    const alarm = new Alarm(storage);
    await alarm.by(NOW + 10 * 365 * 86_400_000, NOW);
    expect(storage.set).toBe(NOW + 86_400_000);
    await alarm.by(5, NOW);
    expect(storage.set).toBe(NOW);
  });
});
