// The graph as it was at a time: a slider from the first known edge to now, and the exact time beside it.
import { useEffect, useState } from "react";

const STEPS = 200;

/** For <input type="datetime-local">, in UTC. */
const local = (at: number) => new Date(at).toISOString().slice(0, 16);

export function TimeTravel({
  asOf,
  first,
  onChange,
}: {
  asOf: string | null;
  first: number | null;
  onChange: (at: string | null) => void;
}) {
  const now = Date.now();
  // The earliest time seen stays the slider's beginning while one travels back before edges began.
  const [begin, setBegin] = useState<number | null>(first);
  useEffect(
    () => setBegin((before) => (first === null ? before : before === null ? first : Math.min(before, first))),
    [first],
  );
  const start = (begin ?? now - 30 * 86_400_000) - 3_600_000;
  const at = asOf ? Date.parse(asOf) : now;
  const asked = Math.round(((at - start) / (now - start)) * STEPS);
  const [step, setStep] = useState(asked);
  useEffect(() => setStep(asked), [asked]);
  const timeOf = (s: number) => start + ((now - start) * s) / STEPS;
  const settle = () => {
    if (step !== asked) onChange(step >= STEPS ? null : new Date(timeOf(step)).toISOString().replace(/\.\d+Z$/, "Z"));
  };
  return (
    <div className="row-nowrap time-travel">
      <label htmlFor="as-of" className="muted">
        As of
      </label>
      <input
        type="range"
        min={0}
        max={STEPS}
        value={step}
        aria-label="Time"
        aria-valuetext={step >= STEPS ? "now" : new Date(timeOf(step)).toUTCString()}
        onChange={(e) => setStep(Number(e.target.value))}
        onPointerUp={settle}
        onKeyUp={settle}
      />
      <input
        id="as-of"
        className="input"
        type="datetime-local"
        style={{ width: 190 }}
        value={step >= STEPS && !asOf ? "" : local(step === asked ? at : timeOf(step))}
        onChange={(e) => onChange(e.target.value ? `${e.target.value}:00Z` : null)}
      />
      {asOf ? (
        <button type="button" className="button small" onClick={() => onChange(null)}>
          Now
        </button>
      ) : (
        <span className="muted small">now (UTC)</span>
      )}
    </div>
  );
}
