// Connectors in a real browser: none yet, the document to begin with, and who is offered what.
// A running worker is covered by tests/integration of the API; here its answers are given, so that every state is seen.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { seriousFindings } from "./axe";
import { settled, visitors } from "./weir";

const as = visitors();

const row = (name: string, more: object) => ({
  name,
  state: "running",
  type: "sink",
  plugin: "org.apache.kafka.connect.file.FileStreamSinkConnector",
  cluster: "prod",
  worker: "http://127.0.0.1:8083",
  tasks: [{ id: 0, state: "running", worker: "127.0.0.1:8083", error: null }],
  error: null,
  differs: [],
  pending: null,
  deadLetters: "orders.dead",
  description: "",
  owners: [{ group: "team-orders" }],
  may: { operate: true },
  ...more,
});
const FAILED = row("to-file", {
  state: "failed",
  error: "The file cannot be opened.",
  tasks: [{ id: 0, state: "failed", worker: "127.0.0.1:8083", error: "The file cannot be opened." }],
  differs: ["file"],
});

async function answers(page: Page, connectors: object[]): Promise<void> {
  await page.route(/\/api\/v1\/connectors$/, (route) => route.fulfill({ json: { connectors } }));
  await page.route(/\/api\/v1\/connectors\/to-file$/, (route) =>
    route.fulfill({
      json: {
        ...FAILED,
        topics: ["orders"],
        outside: ["file://host//tmp/out"],
        job: "job:connect://127.0.0.1:8083:to-file",
        drift: [{ field: "file", declared: "/tmp/out", actual: "/tmp/other" }],
      },
    }),
  );
  await page.route(/\/api\/v1\/declared\/Connector/, (route) =>
    route.fulfill({
      json: {
        documents: connectors.slice(0, 1).map(() => ({
          apiVersion: "weir/v1",
          kind: "Connector",
          metadata: { name: "to-file" },
          spec: {
            cluster: "prod",
            plugin: "FileStreamSink",
            config: { file: "/tmp/out", "db.password": { env: "X" } },
          },
        })),
      },
    }),
  );
}

test("without a connector the page has the document to begin with, and an analyst is not offered it", async () => {
  const page = await as("admin", "/");
  await answers(page, []);
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Connectors" }).click();
  await page.getByText("No connector is declared").waitFor();
  await page.getByText("kind: Connector").waitFor();
  await page.getByRole("link", { name: "Check and apply it" }).click();
  await page.waitForURL(/change=new/);
  await page.getByLabel("Documents (YAML)").waitFor();

  const ana = await as("ana", "/connectors");
  await answers(ana, []);
  await ana.reload();
  await ana.getByText(/Declaring a connector needs the permission/).waitFor();
  const pages = ana.getByRole("navigation", { name: "Pages" });
  expect(await pages.getByRole("link", { name: "Connectors" }).count()).toBe(0);
});

test("a failed connector and a worker that does not answer are shown as such", async () => {
  const page = await as("admin", "/connectors");
  await answers(page, [FAILED, row("away", { state: "unknown", tasks: [], error: "No Connect answers." })]);
  await page.reload();
  await page.getByText("1 connector failed or missing; the worker of 1 connector does not answer.").waitFor();
  await page.getByText("No Connect answers.").waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByRole("link", { name: "to-file" }).click();
  await page.getByText("environment variable X").waitFor();
  await page.getByRole("table", { name: "Changed by hand" }).getByText("/tmp/other").waitFor();
  await page.getByRole("button", { name: "Restart", exact: true }).waitFor();
  await settled(page);
  expect(await seriousFindings(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 780 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(1);
});

test("who may not operate gets no button", async () => {
  const page = await as("ana", "/connectors/to-file");
  await answers(page, [FAILED]);
  await page.route(/\/api\/v1\/connectors\/to-file$/, (route) =>
    route.fulfill({
      json: { ...FAILED, may: { operate: false }, differs: ["file"], drift: null, topics: [], outside: [], job: null },
    }),
  );
  await page.reload();
  await page.getByText("Values are for its owners").waitFor();
  expect(await page.getByRole("button", { name: /Restart|Pause|Stop/ }).count()).toBe(0);
});
