import { describe, expect, it } from "vitest";
import type { Dataset, Grant, Me } from "@/api/types";
import { brokenContracts, dutiesOf, firstSteps, gapsOf, most, myGrants, ownedBy } from "@/lib/home";

const me = (user: string, permissions: string[] = [], groups: string[] = []) =>
  ({ user, permissions, groups }) as unknown as Me;
const dataset = (more: object) => ({ owners: [], scan: {}, scannedAt: null, deletedAt: null, ...more }) as never;

describe("duties", () => {
  it("come from permissions and from what somebody owns, also by a group", () => {
    const all = [dataset({ owners: ["otto"] }), dataset({ owners: ["group:team"] })] as Dataset[];
    expect(dutiesOf(undefined, all)).toEqual([]);
    expect(dutiesOf(me("ana"), all)).toEqual([]);
    expect(dutiesOf(me("otto"), all)).toEqual(["owner"]);
    expect(dutiesOf(me("eve", [], ["team"]), all)).toEqual(["owner"]);
    expect(dutiesOf(me("petra", ["report:read", "review"]), all)).toEqual(["officer"]);
    expect(dutiesOf(me("admin", ["manage", "review", "scan"]), all)).toEqual(["officer", "administrator"]);
  });

  it("does not take a group for a user of that name", () => {
    expect(ownedBy(me("team"), [dataset({ owners: ["group:team"] })])).toEqual([]);
    expect(ownedBy(me("x", [], ["otto"]), [dataset({ owners: ["otto"] })])).toEqual([]);
  });
});

describe("what a person has", () => {
  it("lists grants in force of this person only, the one that ends first in front", () => {
    const grant = (name: string, user: string, validTo: string, status = "approved") =>
      ({ name, subject: { user }, validTo, status }) as unknown as Grant;
    const list = [
      grant("b", "ana", "2027-01-01T00:00:00Z"),
      grant("a", "ana", "2026-12-01T00:00:00Z"),
      grant("c", "otto", "2026-12-01T00:00:00Z"),
      grant("d", "ana", "2026-11-01T00:00:00Z", "expired"),
    ];
    expect(myGrants(list, me("ana")).map((g) => g.name)).toEqual(["a", "b"]);
    expect(myGrants(list, undefined)).toEqual([]);
    const team = { name: "t", subject: { group: "team" }, validTo: null, status: "approved" } as unknown as Grant;
    expect(myGrants([team], me("ana", [], ["team"]))).toHaveLength(1);
    expect(myGrants([team], me("team"))).toEqual([]);
  });

  it("finds broken contracts and gaps", () => {
    const all = [
      dataset({ scannedAt: "x", scan: { problems: [{ reason: "departs", message: "m" }, { reason: "byte_limit" }] } }),
      dataset({ scannedAt: "x", scan: { error: { message: "e" } } }),
      dataset({ scannedAt: "x", scan: { unscanned: ["value.a"] } }),
      dataset({}),
      dataset({ deletedAt: "x" }),
    ] as Dataset[];
    expect(brokenContracts(all).map((each) => each.problems.length)).toEqual([1]);
    const gaps = gapsOf(all);
    expect([gaps.unscanned.length, gaps.failed.length, gaps.unfinished.length]).toEqual([1, 1, 1]);
  });

  it("sorts counts, and leaves out none", () => {
    expect(most({ a: 1, b: 3, c: 0, d: 3 }, 2)).toEqual([
      ["b", 3],
      ["d", 3],
    ]);
    expect(most(undefined, 3)).toEqual([]);
  });
});

describe("the first steps", () => {
  const none = { clusters: 0, scans: [], datasets: [], reviewed: 0, people: 1 };
  const done = (of: Partial<typeof none>) =>
    firstSteps({ ...none, ...of })
      .filter((step) => step.done)
      .map((step) => step.name);
  it("are done one by one", () => {
    expect(done({})).toEqual([]);
    expect(done({ clusters: 1 })).toEqual(["connect"]);
    expect(done({ clusters: 1, scans: [{ state: "failed" }] as never })).toEqual(["connect"]);
    expect(done({ clusters: 1, scans: [{ state: "done" }] as never, reviewed: 2, people: 2 })).toEqual([
      "connect",
      "scan",
      "review",
      "invite",
    ]);
  });
});
