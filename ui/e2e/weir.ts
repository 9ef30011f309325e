// A browser before a running Weir: where it is, who signs in, and what every page must hold to.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { type Browser, type BrowserContext, chromium, type Download, type Locator, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, inject } from "vitest";

export const WEIR = (process.env.WEIR_URL ?? "http://127.0.0.1:8484").replace(/\/$/, "");

/** Answers come late by up to so many milliseconds, each differently: finds tests that only pass on a quick machine. */
const LATE = Number(process.env.WEIR_TEST_LATE ?? 0);

/** Pages compute so many times slower: what a machine does that has other work. */
const SLOW = Number(process.env.WEIR_TEST_SLOW ?? 1);

/** Durations hold on a machine of its own (STRICT=1); beside everything else a test run starts, they get more room. */
export const ROOM = process.env.STRICT ? 1 : 6;

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** The token of a user: WEIR_TOKEN_ANA, else the file of that name in the folder WEIR_TOKENS, or beside it. */
export function tokenOf(user: string): string {
  const given = process.env[`WEIR_TOKEN_${user.toUpperCase()}`];
  if (given) return given;
  const folder = process.env.WEIR_TOKENS ?? "";
  for (const name of [user, `${user}.token`, `../${user}.token`]) {
    const path = join(folder, name);
    if (folder && existsSync(path)) return readFileSync(path, "utf8").trim();
  }
  throw new Error(`No token of ${user}: set WEIR_TOKEN_${user.toUpperCase()}, or WEIR_TOKENS to a folder of tokens.`);
}

/** How a browser is started: CHROMIUM names the program. */
export const BROWSER = { executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: FLAGS };

/** A connection to the browser of the run, or one started for this file. To close it ends its own contexts alone. */
export function launch(): Promise<Browser> {
  const shared = inject("browser");
  return shared ? chromium.connect(shared) : chromium.launch(BROWSER);
}

/** The bytes of a download: its file may be on the browser's side alone. */
export async function bytesOf(arriving: Promise<Download>): Promise<Buffer> {
  return buffer(await (await arriving).createReadStream());
}

export interface Visit {
  context: BrowserContext;
  page: Page;
  /** What went wrong in the page, and requests to anywhere but Weir. Empty on a good page. */
  wrong: string[];
}

export interface Look {
  width?: number;
  height?: number;
  dark?: boolean;
}

/** A fresh context in which a user is signed in. */
export async function visit(browser: Browser, user: string | null, look: Look = {}): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width: look.width ?? 1360, height: look.height ?? 850 },
    colorScheme: look.dark ? "dark" : "light",
    reducedMotion: "reduce",
  });
  if (user !== null) {
    await context.addInitScript((token) => sessionStorage.setItem("weir.token", token), tokenOf(user));
  }
  const page = await context.newPage();
  if (SLOW > 1) {
    const session = await context.newCDPSession(page);
    await session.send("Emulation.setCPUThrottlingRate", { rate: SLOW });
  }
  if (LATE > 0) {
    await page.route(/\/api\/v1\//, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * LATE));
      await route.continue().catch(() => undefined); // the page may have gone on
    });
  }
  const wrong: string[] = [];
  page.on("pageerror", (error) => wrong.push(`page error: ${error.message}`));
  page.on("console", (message) => {
    // The browser writes a line for every answer of 4xx; whether one was expected is for the test to say.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) wrong.push(message.text());
  });
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(WEIR) && !url.startsWith("data:") && !url.startsWith("blob:")) wrong.push(`request to ${url}`);
  });
  return { context, page, wrong };
}

/** Opens pages of users, in one browser for the file. They are closed after each test: none works on beside the next. */
export function visitors(): (user: string | null, path: string) => Promise<Page> {
  let browser: Browser;
  let open: Visit[] = [];
  beforeAll(async () => {
    browser = await launch();
  });
  afterEach(async () => {
    const over = open;
    open = [];
    for (const { context } of over) await context.close();
  });
  afterAll(() => browser.close());
  return async (user, path) => {
    const one = await visit(browser, user);
    open.push(one);
    await one.page.goto(WEIR + path);
    return one.page;
  };
}

/** Until the page has its answers: nothing grey is left, nothing is on its way, nothing moves or fades. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelector("main h1, main h2") !== null);
  const waiting = '.skeleton, main [aria-busy="true"]';
  await page.waitForFunction((of) => document.querySelector(of) === null, waiting, { timeout: 45_000 });
  await painted(page);
}

/** Until what changed last is on the screen. */
export async function painted(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
    const ending = document.getAnimations().filter((a) => a.effect?.getComputedTiming().endTime !== Infinity);
    await Promise.allSettled(ending.map((animation) => animation.finished));
  });
}

/** Until something stands where it stood a moment ago, and once more. */
export async function still(what: Locator): Promise<void> {
  let before = "";
  for (let same = 0; same < 3; ) {
    await what.page().waitForTimeout(100);
    await painted(what.page());
    const now = JSON.stringify(await what.boundingBox());
    same = now === before ? same + 1 : 0;
    before = now;
  }
}

/** Closes the suggestions under the search box: the arrows then walk the results. */
export async function closeSuggestions(page: Page): Promise<void> {
  await page.getByRole("option").first().waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("option").first().waitFor({ state: "detached" });
}

/** Presses keys close together, as a hand does: none waits until the page has dealt with the one before. */
export async function chord(page: Page, ...keys: string[]): Promise<void> {
  await Promise.all(keys.map((key) => page.keyboard.press(key)));
}
