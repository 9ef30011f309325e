import { renderToString } from "react-dom/server";
import { expect, test } from "vitest";
import { Reasons } from "@/components/Reasons";
import { localTime } from "@/lib/times";

test("a reason shows its time as the browser's clock has it, and the exact one on hover", () => {
  const html = renderToString(<Reasons reasons={["Opened by grant g-1 for care, until 2026-12-03 15:00:15 UTC."]} />);
  expect(html).toContain('title="2026-12-03 15:00:15 UTC"');
  expect(html).toContain(`>${localTime("2026-12-03T15:00:15Z")}</time>`);
});
