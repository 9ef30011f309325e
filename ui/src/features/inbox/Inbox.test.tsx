import { renderToString } from "react-dom/server";
import { MemoryRouter } from "react-router";
import { expect, test } from "vitest";
import type { Inbox, InboxRow } from "@/api/inbox";
import { InboxRows } from "@/features/inbox/Inbox";

const DETECTIONS: InboxRow = {
  kind: "detection",
  duty: "officer",
  tone: "waiting",
  count: 45,
  subject: "45 detections",
  text: "to review, 8 doubtful",
  action: "Review",
  link: "/review?state=suggested",
  since: null,
  until: null,
};
const html = (of: Partial<Inbox>) =>
  renderToString(
    <MemoryRouter>
      <InboxRows of={{ rows: [], uncounted: [], counting: [], next: null, ...of }} />
    </MemoryRouter>,
  );

test("a row links its number to the list that it counts, and has one action", () => {
  const shown = html({ rows: [DETECTIONS] });
  expect(shown).toContain("45 detections</a>");
  expect(shown).toContain("to review, 8 doubtful");
  expect(shown.match(/href="\/review\?state=suggested"/g)).toHaveLength(2);
  expect(shown).toContain('aria-label="Review: 45 detections"');
  expect(shown).not.toContain("<h3");
});

test("two roles have headings", () => {
  const shown = html({ rows: [DETECTIONS, { ...DETECTIONS, kind: "request", duty: "owner", subject: "1 request" }] });
  expect(shown).toContain("<h3>Personal data</h3>");
  expect(shown).toContain("<h3>As an owner</h3>");
});

test("an empty inbox says what to do next, and a part that was not counted says so", () => {
  expect(html({ next: { text: "Nothing waits for you.", action: "Search", link: "/search" } })).toContain(
    ">Search</a>",
  );
  const failed = html({ uncounted: [{ part: "servers", message: "They did not answer." }] });
  expect(failed).toContain("servers");
  expect(failed).toContain("They did not answer.");
});
