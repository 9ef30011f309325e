import { useState } from "react";
import { useDelegate, useDelegation } from "@/api/access";
import type { Delegation } from "@/api/types";
import { Answer } from "@/components/Answer";
import { ErrorNotice, Notice } from "@/components/Notice";
import { When } from "@/components/When";

const WEEKS = [1, 2, 3, 4, 8, 26];

/** Who decides in my place while I am away, and in whose place I decide. */
export function DelegationTab() {
  const found = useDelegation();
  return (
    <Answer of={found}>
      {({ delegation, insteadOf }) => (
        <div className="stack">
          {insteadOf.length > 0 && (
            <Notice>
              You decide in the place of <strong>{insteadOf.join(", ")}</strong> while they are away. Their requests are
              under “To decide”; you sign with your own name.
            </Notice>
          )}
          {delegation ? <Standing of={delegation} /> : <Name />}
        </div>
      )}
    </Answer>
  );
}

function Standing({ of }: { of: Delegation }) {
  const change = useDelegate();
  return (
    <section className="panel stack" aria-label="Your delegates">
      <p>
        <strong>{of.delegates.join(", ")}</strong>{" "}
        {of.active ? "decides access requests in your place" : "will decide access requests in your place"} until{" "}
        <span title={of.until}>{of.until.slice(0, 10)}</span> (<When at={of.until} />
        ). You may still decide yourself.
      </p>
      {change.isError && <ErrorNotice error={change.error} />}
      <div>
        <button type="button" className="button" disabled={change.isPending} onClick={() => change.mutate(null)}>
          End delegation
        </button>
      </div>
    </section>
  );
}

function Name() {
  const change = useDelegate();
  const [names, setNames] = useState("");
  const [weeks, setWeeks] = useState(2);
  const delegates = names.split(/[\s,;]+/).filter((name) => name !== "");
  return (
    <form
      className="panel stack"
      style={{ maxWidth: 560 }}
      aria-label="Name a delegate"
      onSubmit={(event) => {
        event.preventDefault();
        const until = new Date(Date.now() + weeks * 7 * 86_400_000).toISOString();
        change.mutate({ delegates, until });
      }}
    >
      <p className="muted">
        While you are away, delegates may decide access requests that are pending for you: never your own, and never
        theirs.
      </p>
      <div className="field">
        <label htmlFor="delegates">Delegates</label>
        <input
          id="delegates"
          className="input"
          value={names}
          placeholder="grace, otto"
          onChange={(event) => setNames(event.target.value)}
        />
        <span className="hint">Names of users, with commas between several.</span>
      </div>
      <div className="field">
        <label htmlFor="weeks">Duration</label>
        <select id="weeks" className="select" value={weeks} onChange={(event) => setWeeks(Number(event.target.value))}>
          {WEEKS.map((n) => (
            <option key={n} value={n}>
              {n === 1 ? "1 week" : `${n} weeks`}
            </option>
          ))}
        </select>
      </div>
      {change.isError && <ErrorNotice error={change.error} />}
      <div>
        <button type="submit" className="button primary" disabled={change.isPending || delegates.length === 0}>
          Delegate
        </button>
      </div>
    </form>
  );
}
