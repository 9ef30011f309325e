import { defineConfig } from "vitest/config";

// Journeys in a real browser against a running Weir: WEIR_URL, WEIR_TOKEN, WEIR_TOKENS (a folder of USER.token files).
export default defineConfig({
  test: {
    include: ["e2e/**/*.spec.ts"],
    environment: "node",
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // As long as a browser waits for an element.
    expect: { poll: { timeout: 30_000, interval: 100 } },
    fileParallelism: false,
  },
});
