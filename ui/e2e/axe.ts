// axe-core in a page. It is brought in from outside the page, so the Content-Security-Policy stays as strict as it is.
import axe from "axe-core";
import type { Page } from "playwright-core";

interface Finding {
  id: string;
  impact?: string | null;
  nodes: { html: string; failureSummary?: string }[];
}

/** Findings that keep somebody from using the page, one line each. `colours`: of contrast alone. */
export async function seriousFindings(page: Page, colours = false): Promise<string[]> {
  await page.evaluate(axe.source);
  const found: Finding[] = await page.evaluate(async (colours) => {
    const results = await (window as unknown as { axe: typeof axe }).axe.run(document, {
      runOnly: colours
        ? { type: "rule", values: ["color-contrast", "link-in-text-block"] }
        : { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"] },
    });
    return results.violations as unknown as Finding[];
  }, colours);
  return found
    .filter((f) => f.impact === "serious" || f.impact === "critical")
    .map((f) => `${f.id}: ${f.nodes.map((n) => n.html.slice(0, 160)).join(" | ")}`);
}
