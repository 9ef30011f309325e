import { describe, expect, it } from "vitest";
import { NEW_REVIEW, reviewProblems, reviewSpec } from "@/lib/reviewForm";

describe("a review by form", () => {
  it("is everything with personal data, decided by owners within two weeks, where nothing else is chosen", () => {
    expect(reviewSpec({ ...NEW_REVIEW, name: "q4" })).toEqual({
      scope: { tags: ["PII"] },
      items: ["grants", "roles"],
      reviewers: { owners: true },
      due: "14d",
      remind: ["3d"],
      onNoAnswer: "keep",
    });
  });

  it("names datasets, people and deciders", () => {
    const form = {
      ...NEW_REVIEW,
      name: "leavers",
      scope: "named" as const,
      people: "ana, otto",
      ownersDecide: false,
      deciders: "petra, group:privacy",
      days: "2",
      onNoAnswer: "revoke" as const,
    };
    expect(reviewProblems(form)).toEqual([]);
    expect(reviewSpec(form)).toMatchObject({
      scope: { people: ["ana", "otto"] },
      reviewers: { users: ["petra"], groups: ["privacy"] },
      due: "2d",
      remind: [],
      onNoAnswer: "revoke",
    });
  });

  it("says what is missing", () => {
    const problems = reviewProblems({
      ...NEW_REVIEW,
      scope: "named",
      grants: false,
      roles: false,
      ownersDecide: false,
      days: "0",
    });
    expect(problems).toHaveLength(5);
    expect(reviewProblems({ ...NEW_REVIEW, name: "x" })).toEqual([]);
  });
});
