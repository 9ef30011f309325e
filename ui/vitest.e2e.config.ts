import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files by name: some ask for access or approve what others look at later. */
class ByName extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve([...files].sort((a, b) => a.moduleId.localeCompare(b.moduleId)));
  }
}

// Journeys in a real browser against a running Weir: WEIR_URL, WEIR_TOKEN, WEIR_TOKENS (a folder of USER.token files).
export default defineConfig({
  test: {
    include: ["e2e/**/*.spec.ts"],
    globalSetup: ["e2e/oneBrowser.ts"],
    sequence: { sequencer: ByName },
    environment: "node",
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // As long as a browser waits for an element.
    expect: { poll: { timeout: 30_000, interval: 100 } },
    fileParallelism: false,
  },
});
