// The graph as it was at a time: a slider from the first known edge to now, and the exact time behind a click.
import { useEffect, useState } from "react";

const STEPS = 200;

/** For <input type="datetime-local">, in UTC. */
const local = (at: number) => new Date(at).toISOString().slice(0, 16);
const words = (at: number) => `${local(at).replace("T", " ")} UTC`;

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
  const [exact, setExact] = useState(false);
  const start = (begin ?? now - 30 * 86_400_000) - 3_600_000;
  const at = asOf ? Date.parse(asOf) : now;
  const asked = Math.round(((at - start) / (now - start)) * STEPS);
  const [step, setStep] = useState(asked);
  useEffect(() => setStep(asked), [asked]);
  const timeOf = (s: number) => start + ((now - start) * s) / STEPS;
  const settle = () => {
    if (step !== asked) onChange(step >= STEPS ? null : new Date(timeOf(step)).toISOString().replace(/\.\d+Z$/, "Z"));
  };
  const shown = step >= STEPS && !asOf ? "now" : words(step === asked ? at : timeOf(step));
  return (
    <div className="row-nowrap time-travel">
      <span className="muted">As of</span>
      <input
        type="range"
        min={0}
        max={STEPS}
        value={step}
        aria-label="Time"
        aria-valuetext={shown}
        onChange={(e) => setStep(Number(e.target.value))}
        onPointerUp={settle}
        onKeyUp={settle}
      />
      {exact ? (
        <input
          className="input"
          type="datetime-local"
          aria-label="As of, in UTC"
          style={{ width: 190 }}
          // biome-ignore lint/a11y/noAutofocus: it appears where its button was pressed.
          autoFocus
          value={asOf ? local(at) : ""}
          onChange={(e) => onChange(e.target.value ? `${e.target.value}:00Z` : null)}
          onBlur={() => setExact(false)}
        />
      ) : (
        <button type="button" className="link nowrap" title="Choose an exact time" onClick={() => setExact(true)}>
          {shown}
        </button>
      )}
      {asOf && (
        <button type="button" className="button small" onClick={() => onChange(null)}>
          Now
        </button>
      )}
    </div>
  );
}
