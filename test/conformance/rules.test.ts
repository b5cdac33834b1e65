import { beforeAll, describe, it, vi } from "vitest";
import document from "../recorded/conformance/rules.json" with { type: "json" };
import { startServer, type TestServer } from "../server.ts";
import { defineCustomKinds } from "./kinds.ts";
import type { RecordedCase } from "./recorded-case.ts";
import { AT_A_TIME, expectAsRecorded } from "./recorded-cases.ts";

const recorded = document as unknown as RecordedCase[];

vi.setConfig({ maxConcurrency: AT_A_TIME });
let server: TestServer;

beforeAll(async () => {
  server = await startServer();
  await defineCustomKinds(server);
  return () => server.stop();
});

describe("as Kubernetes 1.20 did", () => {
  it.concurrent.each(recorded)("$name", (each) => expectAsRecorded(server, each));
});
