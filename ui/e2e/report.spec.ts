// The printed report: the server's own page, whole on A4 upright and across, with time, author, hash; read from its PDF.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { settled, tokenOf, visitors, WEIR } from "./weir";

const as = visitors();
const HEADS = ["Place", "Personal data and evidence", "Goes to", "Read by", "May be seen by", "Retention"];

/** Presses Print, with the browser's own dialog out of the way. */
async function printed(page: Page): Promise<void> {
  await page.evaluate(() => {
    window.print = () => document.documentElement.setAttribute("data-printed", "");
  });
  await page.getByRole("button", { name: "Print" }).click();
  await page.waitForFunction(() => document.documentElement.hasAttribute("data-printed"));
}

/** What stands where on paper of a width in pixels: nothing may lie beyond its right edge. */
async function beyond(page: Page, width: number): Promise<string[]> {
  await page.setViewportSize({ width, height: 1000 });
  await page.emulateMedia({ media: "print" });
  return page.evaluate(() => {
    const root = document.querySelector(".paper")?.shadowRoot;
    if (!root) return ["there is no report on paper"];
    const right = document.documentElement.clientWidth;
    return [...root.querySelectorAll("th, td, li, dd, code")]
      .filter((one) => one.getBoundingClientRect().right > right + 1)
      .map((one) => one.textContent?.slice(0, 40) ?? "");
  });
}

test("the page prints the server's report: no column is cut, upright or across", async () => {
  const page = await as("petra", "/reports?entity=EMAIL_ADDRESS");
  await settled(page);
  await printed(page);
  for (const [format, width] of [
    ["upright", 710],
    ["across", 1030],
  ] as const) {
    expect(await beyond(page, width), format).toEqual([]);
    const paper = page.locator(".paper");
    expect(await paper.locator("th").allTextContents()).toEqual(HEADS);
    for (const text of ["Made by", "petra", "sha256:", "Owner:"]) await paper.getByText(text).first().waitFor();
    // What is on the screen is not on the paper twice.
    expect(await page.locator(".page-head h1").isVisible()).toBe(false);
    expect(await page.locator("table.table").first().isVisible()).toBe(false);

    const pdf = await page.pdf({ format: "A4", landscape: format === "across", printBackground: true });
    const file = join(mkdtempSync(join(tmpdir(), "weir-report-")), "report.pdf");
    writeFileSync(file, pdf);
    const text = spawnSync("pdftotext", ["-layout", file, "-"], { encoding: "utf8" });
    if (text.error) continue; // poppler is not on this machine; the positions above were looked at
    const first = text.stdout.split("\f")[0] ?? "";
    expect(first).toContain("May be seen by");
    expect(first).toContain("Made by");
    expect(first).toContain("Retention");
    // The first page is not two thirds blank: places begin on it, and fill it.
    expect(first.split("\n").filter((line) => line.trim() !== "").length).toBeGreaterThan(25);
    if (process.env.KEEP) writeFileSync(join(process.env.KEEP, `report-${format}.pdf`), readFileSync(file));
  }
}, 120_000);

test("the report opens as a page of its own: the one the API gives", async () => {
  const page = await as("petra", "/reports?entity=EMAIL_ADDRESS");
  await settled(page);
  const opening = page.context().waitForEvent("page");
  await page.getByRole("button", { name: "Open the report" }).click();
  const report = await opening;
  await report.getByRole("heading", { name: "Where is entity EMAIL_ADDRESS" }).waitFor();
  const answer = await fetch(`${WEIR}/api/v1/reports/where-is?entity=EMAIL_ADDRESS`, {
    headers: { Authorization: `Bearer ${tokenOf("petra")}` },
  });
  const { places } = (await answer.json()) as { places: unknown[] };
  expect(await report.locator("tbody tr").count()).toBe(places.length);
}, 90_000);

test("someone without the permission reads who has it", async () => {
  const page = await as("ana", "/reports?entity=EMAIL_ADDRESS");
  await page.getByText(/needs the permission “report:read”/).waitFor();
});
