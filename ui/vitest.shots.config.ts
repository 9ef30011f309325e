import { defineConfig } from "vitest/config";

// Pictures of every page for docs/screenshots, taken from a running Weir.
export default defineConfig({
  test: {
    include: ["e2e/shots.ts"],
    globalSetup: ["e2e/oneBrowser.ts"],
    environment: "node",
    testTimeout: 300_000,
    hookTimeout: 60_000,
    fileParallelism: false,
  },
});
