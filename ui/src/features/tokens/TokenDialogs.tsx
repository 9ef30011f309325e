// Dialogs for a token of a service account: made, rotated. The page shows the text, once: a dialog is closed too easily.
import { useState } from "react";
import { useMe } from "@/api/access";
import { ApiError } from "@/api/client";
import { type MadeToken, type RotatedToken, type TokenEntry, useCreateToken, useRotateToken } from "@/api/tokens";
import { Modal } from "@/components/Modal";
import { ErrorNotice } from "@/components/Notice";
import { TextField } from "@/components/TextField";
import { useToken } from "@/lib/session";
import { scopeChoices, scopesProblem, wholeProblem } from "@/lib/tokens";

const MOST_DAYS = 3650;
const MOST_HOURS = 720;

/** Weir's answer where it is about one input. */
const about = (error: unknown, field: string) =>
  error instanceof ApiError && error.details.field === field ? error.message : null;

/** `scopes`: those that are chosen at first. */
export function MakeToken({
  user,
  scopes: first = [],
  onMade,
  onClose,
}: {
  user: string;
  scopes?: string[];
  onMade: (token: MadeToken) => void;
  onClose: () => void;
}) {
  const me = useMe(useToken()).data;
  const create = useCreateToken();
  const [scopes, setScopes] = useState<readonly string[]>(first);
  const [days, setDays] = useState("90");
  const [name, setName] = useState("");
  const [tried, setTried] = useState(false);
  const scopesWrong = scopesProblem(scopes);
  const daysWrong = wholeProblem(days, 1, MOST_DAYS);
  const known = about(create.error, "days") ?? about(create.error, "scopes");
  return (
    <Modal open onClose={onClose} title={`Make a token for ${user}`}>
      <form
        noValidate
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          setTried(true);
          if (scopesWrong || daysWrong) return;
          create.mutate({ user, scopes: [...scopes], days: Number(days), name: name.trim() }, { onSuccess: onMade });
        }}
      >
        <Scopes
          of={Object.keys(me?.capabilities ?? {})}
          chosen={scopes}
          problem={about(create.error, "scopes") ?? (tried || scopes.length > 1 ? scopesWrong : null)}
          onChange={(next) => {
            setScopes(next);
            create.reset();
          }}
        />
        <TextField
          label="Days until it expires"
          value={days}
          onChange={(next) => {
            setDays(next);
            create.reset();
          }}
          hint="The setting policies.service_token_days is the most."
          problem={daysWrong ?? about(create.error, "days")}
        />
        <TextField label="What it is for" value={name} onChange={setName} hint="Optional; shown in the list." />
        {create.isError && !known && <ErrorNotice error={create.error} />}
        <div className="actions">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button primary" disabled={create.isPending}>
            Make the token
          </button>
        </div>
      </form>
    </Modal>
  );
}

function Scopes({
  of,
  chosen,
  problem,
  onChange,
}: {
  of: string[];
  chosen: readonly string[];
  problem: string | null;
  onChange: (scopes: string[]) => void;
}) {
  return (
    <fieldset
      className="field"
      style={{ border: 0, padding: 0, margin: 0 }}
      aria-describedby={problem ? "scopes-problem" : undefined}
    >
      <legend className="strong" style={{ padding: 0 }}>
        Scopes
      </legend>
      <span className="hint">A request needs the right of the account and the scope of the token.</span>
      <ul className="picker">
        {scopeChoices(of).map(({ scope, opens }) => (
          <li key={scope}>
            <label className="row">
              <input
                type="checkbox"
                checked={chosen.includes(scope)}
                onChange={(e) => onChange(e.target.checked ? [...chosen, scope] : chosen.filter((s) => s !== scope))}
              />
              <span className="mono">{scope}</span> <span className="muted small">{opens}</span>
            </label>
          </li>
        ))}
      </ul>
      {problem && (
        <span id="scopes-problem" role="alert" className="hint bad-text">
          {problem}
        </span>
      )}
    </fieldset>
  );
}

export function RotateToken({
  of,
  onMade,
  onClose,
}: {
  of: TokenEntry;
  onMade: (token: RotatedToken) => void;
  onClose: () => void;
}) {
  const rotate = useRotateToken();
  const [hours, setHours] = useState("24");
  const wrong = wholeProblem(hours, 0, MOST_HOURS);
  return (
    <Modal
      open
      onClose={onClose}
      title={`Rotate ${of.name || of.id}`}
      lead="The new token has the scopes and the length of life of the old one. A token is rotated once."
    >
      <form
        noValidate
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (!wrong) rotate.mutate({ id: of.id, overlapHours: Number(hours) }, { onSuccess: onMade });
        }}
      >
        <TextField
          label="Hours in which both are good"
          value={hours}
          onChange={setHours}
          hint="Then the old one ends; 0 ends it now."
          problem={wrong}
        />
        {rotate.isError && <ErrorNotice error={rotate.error} />}
        <div className="actions">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button primary" disabled={rotate.isPending || wrong !== null}>
            Rotate
          </button>
        </div>
      </form>
    </Modal>
  );
}
