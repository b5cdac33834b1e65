import { describe, expect, test } from "vitest";
import { HotObjects } from "./hot-objects.ts";

const object = (body: string, resourceVersion = 1) => ({ resourceVersion, body });

describe("objects in memory", () => {
  test("are given as they were remembered", () => {
    const hot = new HotObjects();
    hot.remember("a", object("x"), hot.moment);
    expect(hot.get("a")).toEqual(object("x"));
    expect(hot.get("b")).toBeUndefined();
  });

  test("are forgotten when a commit names them, and only they", () => {
    const hot = new HotObjects();
    hot.remember("a", object("x"), hot.moment);
    hot.remember("b", object("y"), hot.moment);
    hot.forget(["a"]);
    expect(hot.get("a")).toBeUndefined();
    expect(hot.get("b")).toEqual(object("y"));
  });

  test("are not remembered from a read that a commit has overtaken", () => {
    const hot = new HotObjects();
    const { moment } = hot;
    hot.forget(["a"]);
    hot.remember("a", object("old"), moment);
    expect(hot.get("a")).toBeUndefined();
  });

  test("make room by dropping those that nobody asked for longest", () => {
    const hot = new HotObjects();
    const large = "x".repeat(1_900_000);
    for (const key of ["a", "b", "c", "d", "e", "f", "g", "h"]) {
      hot.remember(key, object(large), hot.moment);
      hot.get("a");
    }
    hot.remember("i", object(large), hot.moment);
    expect(hot.get("a")).toBeDefined();
    expect(hot.get("b")).toBeUndefined();
    expect(hot.get("i")).toBeDefined();
  });

  test("are all forgotten after a slice of work", () => {
    const hot = new HotObjects();
    hot.remember("a", object("x"), hot.moment);
    hot.forgetAll();
    expect(hot.get("a")).toBeUndefined();
  });
});
