import { expect, test } from "vitest";
import type { Affected } from "@/api/types";
import { concerned, ownersMessage } from "@/lib/ownersMessage";

const row = (name: string, owners: string[], effect?: Affected["effect"]): Affected =>
  ({
    id: `dataset:prod:${name}`,
    type: "dataset",
    hops: 1,
    raw: true,
    owners,
    ...(effect ? { effect } : {}),
  }) as Affected;

const ALL = [row("mails", ["group:team-mail"]), row("sums", ["otto"]), row("feed", [])];

test("each owner has their own things, those without an owner come last, what is safe is left out", () => {
  const touched = [row("mails", ["group:team-mail"], "breaks"), row("feed", [], "changes")];
  expect(concerned(ALL, touched)).toEqual([
    { owner: "group:team-mail", lines: ["mails: breaks"] },
    { owner: "no owner known", lines: ["feed: other values"] },
  ]);
  expect(concerned(ALL, null).map(({ owner }) => owner)).toEqual(["group:team-mail", "otto", "no owner known"]);
});

test("the message names the change, the owners with their things, and the page", () => {
  const node = "datasetField:prod:orders:value.email";
  const text = ownersMessage(node, "drop", [{ owner: "otto", lines: ["sums: breaks"] }], "https://weir/lineage?x");
  expect(text.split("\n")).toEqual([
    "A change of orders · value.email is planned. If it is dropped:",
    "",
    "otto (1 thing)",
    "- sums: breaks",
    "",
    "As it is now: https://weir/lineage?x",
  ]);
});
