import { describe, expect, it } from "vitest";
import { agentState, limitWords, todayWords } from "@/lib/agents";
import { meansWords } from "@/lib/auditWords";

describe("agents", () => {
  it("have limits in words", () => {
    expect(limitWords({ rows: 1000, rowsADay: 10000, maskedOnly: false })).toBe("1,000 rows an answer, 10,000 a day");
    expect(limitWords({ rows: 1, rowsADay: 1, maskedOnly: true })).toBe("1 row an answer, 1 a day, masked values only");
    expect(todayWords({ rowsToday: 12, rowsADay: 10000 })).toBe("12 of 10,000");
  });

  it("are active until they are ended or expire", () => {
    expect(agentState({ active: true, endedAt: null })).toBe("active");
    expect(agentState({ active: false, endedAt: "2026-11-27T10:00:00Z" })).toBe("ended");
    expect(agentState({ active: false, endedAt: null })).toBe("expired");
  });

  it("and their tools are named in the audit", () => {
    expect(meansWords({ agent: "helper", tool: "run_query" })).toBe("by agent helper, run_query");
    expect(meansWords({ tool: "run_query" })).toBe("by run_query");
    expect(meansWords({ agent: ["x"] })).toBe("");
  });
});
