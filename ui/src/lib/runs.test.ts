import { describe, expect, it } from "vitest";
import type { JobRun } from "@/api/types";
import { overTime, runTone, summary, tookMs, tookText } from "@/lib/runs";

const run = (id: string, state: string, started: string | null, ended: string | null, updated: string | null = null) =>
  ({ id, state, started, ended, updated }) as JobRun;
const at = (second: number) => new Date(Date.UTC(2026, 2, 1, 12, 0, second)).toISOString();

describe("runs over time", () => {
  it("last from begin to end, and of one that goes on until it reported last", () => {
    expect(tookMs(run("a", "COMPLETE", at(0), at(30)))).toBe(30_000);
    expect(tookMs(run("a", "RUNNING", at(0), null, at(5)))).toBe(5000);
    expect(tookMs(run("a", "START", at(0), null))).toBeNull();
    expect(tookMs(run("a", "COMPLETE", null, at(5)))).toBeNull();
    expect(tookMs(run("a", "COMPLETE", at(5), at(0)))).toBe(0);
  });

  it("are told in two units", () => {
    expect(tookText(null)).toBe("–");
    expect(tookText(0)).toBe("0 ms");
    expect(tookText(950)).toBe("950 ms");
    expect(tookText(61_000)).toBe("1 min 1 s");
    expect(tookText(3_600_000)).toBe("1 h");
    expect(tookText(3_605_000)).toBe("1 h");
    expect(tookText(90_000_000)).toBe("1 d 1 h");
  });

  it("have a tone by their state", () => {
    expect(["COMPLETE", "FAIL", "ABORT", "RUNNING", "STALE", "", undefined].map(runTone)).toEqual([
      "ok",
      "bad",
      "bad",
      "ok",
      "warn",
      "",
      "",
    ]);
  });

  it("are drawn oldest first, so many of the newest", () => {
    const runs = [
      run("new", "COMPLETE", at(9), at(10)),
      run("gone", "START", at(5), null),
      run("old", "FAIL", at(0), at(4)),
    ];
    expect(overTime(runs, 5).map((each) => each.run.id)).toEqual(["old", "new"]);
    expect(overTime(runs, 1).map((each) => each.run.id)).toEqual(["new"]);
    expect(summary(runs)).toEqual({ ended: 2, failed: 1, median: 1000 });
    expect(summary([])).toEqual({ ended: 0, failed: 0, median: null });
  });
});
