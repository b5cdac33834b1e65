import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

const WORKERS = "**/*.workers.test.ts";

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
          // Each file starts a server of its own, and there are two cores.
          maxWorkers: 2,
        },
      },
    ],
  },
}));
