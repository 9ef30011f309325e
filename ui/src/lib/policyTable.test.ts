import { describe, expect, it } from "vitest";
import type { DeclaredDocument } from "@/api/types";
import { filtered, holders, policyRow } from "@/lib/policyTable";

const document = (kind: string, name: string, spec: object) =>
  ({ apiVersion: "weir/v1", kind, metadata: { name }, spec }) as DeclaredDocument;
const MASK = document("Policy", "mask-email", {
  type: "mask",
  match: { tags: ["EMAIL_ADDRESS"] },
  mask: { type: "MASK_HASH" },
  except: { groups: ["privacy"] },
});
const ACCESS = document("Policy", "payments", {
  type: "access",
  match: { datasets: ["prod/payments"] },
  requires: { grant: true, purpose: ["fraud"] },
});
const ROWS = document("Policy", "eu", {
  type: "row-filter",
  match: { datasets: ["prod/*"] },
  subjects: { users: ["ana"] },
  where: "region = 'EU'",
});

describe("a policy as a row", () => {
  it("says what, where and for whom", () => {
    const cells = (of: DeclaredDocument) => {
      const { what, where, whom } = policyRow(of);
      return [what, where, whom];
    };
    expect(cells(MASK)).toEqual(["hashed (MASK_HASH)", "e-mail address", "everyone, except group privacy"]);
    expect(cells(ACCESS)).toEqual(["requires a grant for the purpose fraud", "dataset prod/payments", "everyone"]);
    expect(cells(ROWS)).toEqual(["shows rows where region = 'EU'", "dataset prod/*", "ana"]);
  });

  it("is found by any of its words, and by its type", () => {
    const rows = [MASK, ACCESS, ROWS].map(policyRow);
    const names = (text: string, type: "all" | "mask" = "all") => filtered(rows, text, type).map(({ name }) => name);
    expect(names("")).toEqual(["mask-email", "payments", "eu"]);
    expect(names("PROD ana")).toEqual(["eu"]);
    expect(names("fraud")).toEqual(["payments"]);
    expect(names("", "mask")).toEqual(["mask-email"]);
    expect(names("fraud", "mask")).toEqual([]);
  });
});

it("counts who holds a role directly", () => {
  const users = [document("User", "ana", { roles: ["analyst"] }), document("User", "otto", {})];
  const groups = [document("Group", "team", { roles: ["analyst", "other"] })];
  expect(holders("analyst", users, groups)).toEqual({ users: 1, groups: 1 });
  expect(holders("none", users, groups)).toEqual({ users: 0, groups: 0 });
});
