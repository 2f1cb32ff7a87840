import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    passWithNoTests: true,
    projects: [
      {
        test: {
          name: "node",
          include: ["**/*.test.ts"],
          exclude: ["browser/**", "consumers/**", "servers/**", "**/node_modules/**"],
          testTimeout: 120_000,
          pool: "forks",
          // Tests of lifetimes and memory collect garbage when they want to.
          execArgv: ["--expose-gc"],
        },
      },
      {
        // The real servers, in Python: not part of `npm test`.
        test: {
          name: "servers",
          include: ["servers/**/*.test.ts"],
          globalSetup: ["servers/global-setup.ts"],
          maxConcurrency: 16,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: "browser",
          include: ["browser/**/*.test.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: "consumers",
          include: ["consumers/*.test.ts"],
          testTimeout: 300_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
