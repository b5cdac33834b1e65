import { statfsSync } from "node:fs";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

const WORKERS = "**/*.workers.test.ts";

// A local D1 waits for the disk on every call. What tests write has to outlive processes, but not the machine.
if (process.env.TMPDIR === undefined && freeBytes("/dev/shm") > 2e9) process.env.TMPDIR = "/dev/shm";

/**
 * `unit`: pure rules, in Node. `workers`: what needs workerd, D1 and Durable Objects. `e2e`: the real server in a
 * process of its own, with real clients.
 */
export default defineConfig(async () => ({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["functions/**/*.test.ts", "db/**/*.test.ts"],
          exclude: [WORKERS],
        },
      },
      {
        plugins: [
          cloudflareTest({
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: {
              cf: false,
              bindings: {
                TEST_MIGRATIONS: await readD1Migrations("./db/migrations"),
                ROOT_TOKEN_SHA256: "",
                MODEL_HISTORIES: process.env.MODEL_HISTORIES ?? "",
                MODEL_SEED: process.env.MODEL_SEED ?? "",
              },
            },
          }),
        ],
        test: {
          name: "workers",
          include: [WORKERS],
          setupFiles: ["./test/apply-migrations.ts"],
        },
      },
      {
        test: {
          name: "e2e",
          include: ["test/**/*.test.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // Each file starts a server of its own, and there are two cores; much of the time is spent waiting.
          maxWorkers: 3,
        },
      },
    ],
  },
}));

function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
