import { renderToString } from "react-dom/server";
import { expect, test } from "vitest";
import { type Decidable, DecideButtons, wayBack } from "@/components/DecideDetection";

const phone: Decidable = {
  namespace: "kafka://k",
  name: "orders",
  path: "value.note",
  entity: "PHONE_NUMBER",
  state: "suggested",
};

const html = (more: Partial<Parameters<typeof DecideButtons>[0]> = {}) =>
  renderToString(
    <DecideButtons state="suggested" entity="PHONE_NUMBER" what="value.note" kinds={[]} onAsk={() => {}} {...more} />,
  );

test("confirm, reject and another kind are in one row", () => {
  const shown = html({ kinds: ["LOYALTY_NUMBER"] });
  expect(shown).toContain("Confirm");
  expect(shown).toContain("Reject");
  expect(shown).toContain('aria-label="Another kind for value.note"');
  expect(shown).toContain('value="LOYALTY_NUMBER"');
  expect(shown).not.toContain('value="PHONE_NUMBER"');
});

test("what was decided already is not offered, and many have their number", () => {
  expect(html({ state: "confirmed" })).not.toContain("Confirm");
  expect(html({ state: "rejected" })).not.toContain("Reject<");
  expect(html({ number: 3, entity: null })).toMatch(/Confirm(<!-- -->)? 3/);
});

test("the way back rejects a kind that was new and restores one that was there", () => {
  const asked = { state: "rejected", instead: "USERNAME" } as const;
  const back = (known: Decidable[]) => wayBack(asked, [phone], known).map(({ entity, state }) => [entity, state]);
  expect(back([])).toEqual([
    ["PHONE_NUMBER", "suggested"],
    ["USERNAME", "rejected"],
  ]);
  expect(back([{ ...phone, entity: "USERNAME" }])[1]).toEqual(["USERNAME", "suggested"]);
  expect(wayBack({ state: "confirmed" }, [phone], [])).toEqual([phone]);
});
