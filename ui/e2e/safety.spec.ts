// Nothing user-written is HTML, nothing leaves for elsewhere, errors say what to do, nothing of one user stays for the next.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { chord, launch, settled, tokenOf, visit, WEIR } from "./weir";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

test("pages come under a policy that allows their own scripts only", async () => {
  const answer = await fetch(`${WEIR}/datasets/a/b`);
  const policy = answer.headers.get("content-security-policy") ?? "";
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self'");
  expect(policy).toContain("connect-src 'self'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy.match(/script-src[^;]*/)?.[0]).not.toContain("unsafe");
  expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  expect(await answer.text()).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
});

const EVIL = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>"'\`{{7*7}}javascript:window.hacked=1`;
const NS = "kafka://evil:9092";

/** Every list a page draws from, full of names that want to be HTML. */
async function hostile(page: Page): Promise<void> {
  const json = (body: unknown) => (route: { fulfill: (a: { json: unknown }) => Promise<void> }) =>
    route.fulfill({ json: body });
  const dataset = {
    namespace: NS,
    name: EVIL,
    cluster: EVIL,
    reference: `${EVIL}/${EVIL}`,
    description: EVIL,
    owners: [EVIL],
    tags: [EVIL],
    terms: [EVIL],
    format: { value: EVIL },
    declaredSchema: EVIL,
    topic: { retained: 1 },
    scan: { error: EVIL, problems: [{ message: EVIL }] },
    notes: [],
    may: { edit: true, curate: true, review: true, access: true, scan: true },
    curated: {
      certification: { by: EVIL, note: EVIL },
      deprecation: { successor: `${EVIL}/${EVIL}`, date: EVIL, reason: EVIL },
      announcements: [{ text: EVIL, from: null, until: null }],
      properties: { [EVIL]: EVIL },
      products: [EVIL],
    },
    responsible: { source: "domain", sourceName: EVIL, names: [EVIL], owners: [{ name: EVIL, roles: ["business"] }] },
    reported: {
      facets: { documentation: { at: "2026-01-01T00:00:00Z", description: EVIL } },
      names: [{ namespace: EVIL, name: EVIL }],
      logOnly: [EVIL],
    },
    updatedAt: "2026-01-01T00:00:00Z",
  };
  const found = {
    path: `value.${EVIL}`,
    entity: EVIL,
    score: 1,
    state: "suggested",
    evidence: { matched: 1, sampled: 1, recognizers: [EVIL], note: EVIL },
    reason: EVIL,
    namespace: NS,
    name: EVIL,
    dataset: `${EVIL}/${EVIL}`,
  };
  const hit = {
    kind: "field",
    namespace: NS,
    name: EVIL,
    cluster: EVIL,
    path: `value.${EVIL}`,
    description: EVIL,
    tags: [EVIL],
    owners: [EVIL],
    entities: [EVIL],
    score: 1,
    highlights: { description: [EVIL], path: [`<em>${EVIL}</em>`], name: [EVIL] },
  };
  const request = {
    id: "req-1",
    state: "pending",
    stage: EVIL,
    requester: EVIL,
    dataset: `${EVIL}/${EVIL}`,
    fields: [EVIL],
    purpose: EVIL,
    reason: EVIL,
    stages: [{ name: EVIL, approvers: { users: [EVIL] }, quorum: 1, approvedBy: [EVIL] }],
    decisions: [{ by: EVIL, stage: EVIL, verdict: EVIL, at: "2026-01-01T00:00:00Z", comment: EVIL }],
    thread: [{ by: EVIL, kind: EVIL, text: EVIL, people: [EVIL], at: "2026-01-01T00:00:00Z" }],
    ticket: EVIL,
    template: EVIL,
  };
  await page.route("**/api/v1/datasets?*", json({ datasets: [dataset], total: 1 }));
  await page.route("**/api/v1/datasets/*/*", json(dataset));
  await page.route("**/api/v1/datasets/*/*/classifications", json([found]));
  await page.route(
    "**/api/v1/datasets/*/*/schema*",
    json({
      version: 1,
      format: { value: EVIL },
      fields: [{ path: `value.\`${EVIL.replaceAll("`", "")}\``, types: { [EVIL]: 1 }, presence: 1, nullShare: 0 }],
      shapes: [
        { share: 0.5, paths: ["value"], when: { [EVIL]: EVIL } },
        { share: 0.5, paths: ["value", EVIL] },
      ],
      window: { records: 1, strategy: EVIL },
      problems: [{ message: EVIL }],
    }),
  );
  await page.route("**/api/v1/search?*", json({ total: 1, hits: [hit], facets: { tag: [{ value: EVIL, count: 1 }] } }));
  await page.route(
    "**/api/v1/classifications?*",
    json({ total: 1, counts: { entity: { [EVIL]: 1 } }, classifications: [found] }),
  );
  await page.route("**/api/v1/access-requests*", json({ requests: [request] }));
  await page.route("**/api/v1/access-requests/*", json(request));
  await page.route(
    "**/api/v1/events?*",
    json({
      events: [{ id: "1", type: EVIL, subject: EVIL, time: EVIL, sequence: "1", data: { path: EVIL, problem: EVIL } }],
      next: 1,
    }),
  );
  await page.route(
    "**/api/v1/jobs/*/*",
    json({
      id: "job:a:b",
      type: "job",
      name: EVIL,
      sql: EVIL,
      runs: [{ id: EVIL, state: EVIL }],
      location: { url: "javascript:window.hacked=1" },
    }),
  );
  await page.route(
    "**/api/v1/lineage?*",
    json({
      nodes: [{ id: `dataset:${NS}:${EVIL}`, type: "dataset", description: EVIL, owners: [EVIL] }],
      edges: [
        { source: `dataset:${NS}:${EVIL}`, target: `dataset:${NS}:b${EVIL}`, kind: "feeds", job: `job:s:${EVIL}` },
      ],
      truncated: false,
    }),
  );
  await page.route(
    "**/api/v1/impact?*",
    json({
      root: EVIL,
      affected: [{ id: `dataset:${NS}:${EVIL}`, type: EVIL, hops: 1, raw: true, owners: [EVIL] }],
      truncated: true,
    }),
  );
  await page.route(
    "**/api/v1/audit?*",
    json({
      entries: [
        {
          seq: 1,
          at: EVIL,
          actor: EVIL,
          action: EVIL,
          target: EVIL,
          decision: EVIL,
          reasons: [EVIL],
          details: { agent: EVIL, tool: EVIL },
          hash: EVIL,
        },
      ],
      next: null,
    }),
  );
  await page.route(
    "**/api/v1/declared/*",
    json({
      documents: [
        {
          apiVersion: EVIL,
          kind: "Policy",
          metadata: { name: EVIL },
          spec: { match: { tag: EVIL }, type: "mask", mask: { type: EVIL } },
        },
      ],
    }),
  );
  await page.route(
    "**/api/v1/reports/where-is?*",
    json({
      asked: {},
      places: [
        {
          namespace: NS,
          name: EVIL,
          path: EVIL,
          entity: EVIL,
          state: EVIL,
          share: 1,
          flows: [{ id: EVIL, raw: true }],
          readers: [{ kind: EVIL, name: EVIL }],
          access: [{ kind: "user", subject: EVIL, via: [EVIL], masked: true, mask: EVIL }],
        },
      ],
      gaps: [EVIL],
    }),
  );
}

const part = encodeURIComponent(EVIL);
const PLACES = [
  "/",
  `/search?q=${part}`,
  "/datasets",
  `/datasets/a/${part}`,
  `/datasets/a/${part}/schema?field=${part}`,
  `/datasets/a/${part}/personal-data`,
  `/lineage?node=${encodeURIComponent(`dataset:${NS}:${EVIL}`)}&chosen=${encodeURIComponent(`dataset:${NS}:${EVIL}`)}`,
  `/jobs/a/${part}`,
  "/requests?show=all",
  "/requests/req-1",
  `/requests/new?dataset=${part}&fields=${part}&purpose=${part}`,
  "/review",
  "/policies",
  `/fields?name=${part}`,
  `/reports?entity=${part}`,
  "/activity",
  "/audit",
  `/query?sql=${part}&purpose=${part}`,
];

test("names, descriptions and reasons that want to be HTML stay text on every page", async () => {
  const { context, page, wrong } = await visit(browser, "admin");
  await hostile(page);
  for (const place of PLACES) {
    await page.goto(WEIR + place);
    await settled(page);
    const found = await page.evaluate(() => ({
      hacked: (window as unknown as { hacked?: number }).hacked ?? null,
      images: document.querySelectorAll("main img, main script, main iframe").length,
      links: [...document.querySelectorAll("main a")].filter((a) => /^javascript:/i.test(a.getAttribute("href") ?? ""))
        .length,
      broken: document.body.innerText.includes("This page could not be drawn"),
    }));
    expect(found, place).toEqual({ hacked: null, images: 0, links: 0, broken: false });
  }
  await context.close();
  expect(wrong).toEqual([]);
}, 180_000);

test("a page that fails says what happened and what to do", async () => {
  const { context, page } = await visit(browser, "admin");
  for (const [path, says] of [
    ["/datasets/prod/nosuchdataset", /no such dataset/i],
    ["/nosuchpage", /Home|search/i],
    ["/requests/req-nosuch", /no .*request/i],
    ["/jobs/shop/nosuchjob", /no job|not known|There is no/i],
  ] as const) {
    await page.goto(WEIR + path);
    await settled(page).catch(() => undefined);
    await page.locator("main", { hasText: says }).waitFor();
  }
  await page.route("**/api/v1/audit?*", (route) => route.abort());
  await page.goto(`${WEIR}/audit`);
  await page.getByText(/Weir does not answer.*weir status/).waitFor();
  await context.close();
});

test("a token that ends while one works leads back to the sign-in page, which says why", async () => {
  const { context, page } = await visit(browser, "admin");
  await page.goto(WEIR);
  await settled(page);
  await page.route("**/api/v1/**", (route) =>
    route.fulfill({
      status: 401,
      json: { error: { code: "unauthenticated", message: "This token was ended.", details: {} } },
    }),
  );
  await chord(page, "g", "u");
  await page.getByText(/You were signed out: This token was ended/).waitFor();
  await context.close();
});

test("what one user saw does not stay for the next, however the session ended", async () => {
  const { context, page } = await visit(browser, null);
  const signIn = async (user: string) => {
    await page.fill("#token", tokenOf(user));
    await page.click("button[type=submit]");
    await page.getByRole("button", { name: `Signed in as ${user}` }).waitFor();
  };
  await page.goto(`${WEIR}/admin/tokens`);
  await signIn("admin");
  await page.getByRole("row", { name: /petra/ }).first().waitFor();
  const ended = { error: { code: "unauthenticated", message: "This token was ended.", details: {} } };
  await page.route("**/api/v1/audit?*", (route) => route.fulfill({ status: 401, json: ended }));
  await chord(page, "g", "u");
  await page.getByText(/You were signed out: This token was ended/).waitFor();
  await page.goBack(); // to the tokens, without a load that would forget them
  await signIn("ana");
  await page.getByText("Creating and revoking tokens").waitFor();
  expect(await page.getByRole("row", { name: /petra/ }).count()).toBe(0);
  await context.close();
});
