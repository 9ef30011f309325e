import { expect, test } from "vitest";
import type { RightsEntry, RightsFinding } from "@/api/types";
import { byCause, grantedWords, holderWords, operationWords, readsMore, usedWords } from "@/lib/rights";

const GRANTED = {
  shows: "partly",
  masks: ["MASK_HASH"],
  hidesRows: false,
  purpose: null,
  until: null,
  by: [],
  gone: null,
};
const ENTRY = {
  mapping: "mapped",
  superUser: false,
  granted: GRANTED,
  possible: [{ operation: "read", from: "everywhere", hosts: [], but: [] }],
} as unknown as RightsEntry;

test("operations are written with the hosts that they are possible from", () => {
  const read = { operation: "read", hosts: [], but: [] };
  expect(operationWords({ ...read, from: "everywhere" })).toBe("read");
  expect(operationWords({ ...read, from: "hosts", hosts: ["10.0.0.7", "10.0.0.8"] })).toBe(
    "read from 10.0.0.7, 10.0.0.8",
  );
  expect(operationWords({ ...read, from: "everywhere", but: ["10.0.0.9"] })).toBe("read but from 10.0.0.9");
  expect(operationWords({ operation: "alter_configs", from: "notKnown", hosts: [], but: [] })).toBe(
    "alter configs (not known)",
  );
});

test("what Weir shows, and whether the brokers let more be read", () => {
  expect(grantedWords(ENTRY)).toBe("partly masked");
  expect(readsMore(ENTRY)).toBe(true);
  const clear = { ...ENTRY, granted: { ...GRANTED, shows: "clear" } } as RightsEntry;
  expect(readsMore(clear)).toBe(false);
  const filtered = { ...ENTRY, granted: { ...GRANTED, shows: "clear", hidesRows: true } } as RightsEntry;
  expect([grantedWords(filtered), readsMore(filtered)]).toEqual(["unmasked, some rows", true]);
  const nobody = { ...ENTRY, mapping: "unmapped", granted: null } as RightsEntry;
  expect(readsMore(nobody)).toBe(true);
  expect(readsMore({ ...ENTRY, possible: [] })).toBe(false);
  expect(readsMore({ ...ENTRY, superUser: true })).toBe(false);
});

test("use is written with the groups it is known by", () => {
  const used = { state: "used", groups: [{ name: "billing", active: true, clients: [] }], perhaps: [] };
  expect(usedWords(used as unknown as RightsEntry["used"])).toBe("used; billing");
  const perhaps = { state: "notKnown", groups: [], perhaps: ["x"] };
  expect(usedWords(perhaps as unknown as RightsEntry["used"])).toBe("not known; perhaps x");
  expect(holderWords({ kind: "serviceAccount", name: "app" })).toBe("service account app");
});

test("what one ACL does to many datasets is one finding with the others behind it", () => {
  const one = {
    kind: "rawReadWithoutGrant",
    severity: "high",
    cluster: "prod",
    principal: "User:etl",
    fix: "Remove it.",
  };
  const of = (dataset: string | null, acls: string[], text = "") =>
    ({ ...one, dataset, acls, text: text || dataset }) as RightsFinding;
  const wide = ["allow User:etl read topic * (literal) from *"];
  const findings = [
    of("prod/a", wide),
    of("prod/b", ["another"]),
    of("prod/c", wide),
    of(null, wide),
    of("prod/d", []),
  ];
  expect(byCause(findings).map(({ first, others }) => [first.dataset, others.map((each) => each.dataset)])).toEqual([
    ["prod/a", ["prod/c"]],
    ["prod/b", []],
    [null, []],
    ["prod/d", []],
  ]);
});
