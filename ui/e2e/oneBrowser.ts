// One browser for all files of a run. Each file connects to it and has contexts of its own, which end with it.
import { chromium } from "playwright-core";
import type { TestProject } from "vitest/node";
import { BROWSER } from "./weir";

declare module "vitest" {
  interface ProvidedContext {
    browser: string;
  }
}

export default async function start(project: TestProject): Promise<() => Promise<void>> {
  const server = await chromium.launchServer(BROWSER);
  project.provide("browser", server.wsEndpoint());
  return () => server.close();
}
