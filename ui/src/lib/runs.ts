// Runs of a job over time: how long each took, how it ended, what is usual.
import type { JobRun } from "@/api/types";

export type RunTone = "ok" | "bad" | "warn" | "";

export function runTone(state: string | null | undefined): RunTone {
  if (!state) return "";
  if (/FAIL|ABORT/i.test(state)) return "bad";
  if (/STALE/i.test(state)) return "warn";
  return /RUN|START|LIVE|COMPLETE/i.test(state) ? "ok" : "";
}

type Times = Pick<JobRun, "started" | "ended" | "updated">;

/** Milliseconds from a run's beginning to its end; of one that goes on, until it reported last. Null: not known. */
export function tookMs({ started, ended, updated }: Times): number | null {
  const until = ended ?? updated;
  if (!started || !until) return null;
  const took = Date.parse(until) - Date.parse(started);
  return Number.isFinite(took) ? Math.max(0, took) : null;
}

/** 950 -> "950 ms", 61000 -> "1 min 1 s", 90000000 -> "1 d 1 h": the two largest units. */
export function tookText(ms: number | null): string {
  if (ms === null) return "–";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const units: [string, number][] = [
    ["d", 86_400],
    ["h", 3600],
    ["min", 60],
    ["s", 1],
  ];
  let left = Math.round(ms / 1000);
  const parts: string[] = [];
  for (const [unit, size] of units) {
    const n = Math.floor(left / size);
    left -= n * size;
    if (n > 0) parts.push(`${n} ${unit}`);
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.join(" ");
}

export interface RunsSummary {
  ended: number;
  failed: number;
  /** Of runs that ended well. */
  median: number | null;
}

export function summary(runs: readonly JobRun[]): RunsSummary {
  const ended = runs.filter((run) => run.ended !== null);
  const failed = ended.filter((run) => runTone(run.state) === "bad").length;
  const took = ended
    .filter((run) => runTone(run.state) !== "bad")
    .flatMap((run) => tookMs(run) ?? [])
    .sort((a, b) => a - b);
  return { ended: ended.length, failed, median: took[Math.floor(took.length / 2)] ?? null };
}

/** The newest runs whose length is known, the oldest of them first; the API gives the newest first. */
export function overTime(runs: readonly JobRun[], most: number): { run: JobRun; ms: number }[] {
  return runs
    .flatMap((run) => {
      const ms = tookMs(run);
      return ms === null ? [] : [{ run, ms }];
    })
    .slice(0, most)
    .reverse();
}
