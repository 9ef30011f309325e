import type { Scan } from "@/api/types";
import { progressOf } from "@/components/ScanState";
import { percent } from "@/lib/format";

/** How far a scan has come that is not over. */
export function ScanProgress({ of }: { of: Scan }) {
  return (
    <div className="stack-s" role="status">
      <span>{of.state === "queued" ? "Waits for the worker" : `${percent(progressOf(of))} done`}</span>
      <progress className="progress" max={1} value={progressOf(of)} aria-label="Progress" />
    </div>
  );
}
