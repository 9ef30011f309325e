import type { Scan } from "@/api/types";
import { percent } from "@/lib/format";

/** 0..1, whichever way the API counts. */
export function progressOf(scan: Scan): number {
  if (typeof scan.progress === "number") return scan.progress;
  const { done = 0, total = 0 } = scan.progress ?? {};
  return total > 0 ? done / total : 0;
}

const TONES: Record<Scan["state"], string> = {
  queued: "",
  running: "accent",
  done: "ok",
  failed: "bad",
  cancelled: "warn",
};

export function ScanState({ of }: { of: Scan }) {
  return (
    <span className={`badge ${TONES[of.state]}`}>
      {of.state}
      {of.state === "running" && ` ${percent(progressOf(of))}`}
    </span>
  );
}
