import { describe, expect, it } from "vitest";
import type { Grant, Me } from "@/api/types";
import { firstSteps, myGrants } from "@/lib/home";

const me = (user: string, permissions: string[] = [], groups: string[] = []) =>
  ({ user, permissions, groups }) as unknown as Me;

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
