import { expect, test } from "vitest";
import { factName, factText } from "@/lib/jobFacts";

test("what a producer reports of a job has a name that people read, an unknown one stays", () => {
  expect(factName("repoUrl")).toBe("Repository");
  expect(factName("pullRequest")).toBe("pullRequest");
  expect(factName("constructor")).toBe("constructor");
  expect(["BATCH", "PYTHON", "DBT", "SQL", "git"].map(factText)).toEqual(["Batch", "Python", "DBT", "SQL", "git"]);
});
