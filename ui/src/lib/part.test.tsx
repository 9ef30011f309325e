import { Suspense } from "react";
import { renderToString } from "react-dom/server";
import { expect, test } from "vitest";
import { part } from "@/lib/part";

const make = () => part<{ text: string }>(async () => ({ default: ({ text }) => <b>{text}</b> }));
const shown = (Shown: ReturnType<typeof make>) =>
  renderToString(
    <Suspense fallback="loading">
      <Shown text="here" />
    </Suspense>,
  );

test("code that was fetched before is shown at once, and other code is waited for", async () => {
  const Fetched = make();
  await Fetched.fetch();
  expect(shown(Fetched)).toContain("here");
  expect(shown(make())).toContain("loading");
});
