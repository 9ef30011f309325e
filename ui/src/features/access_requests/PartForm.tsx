import type { Part } from "@/api/access";
import type { AccessRequest } from "@/api/types";
import { toggled } from "@/lib/fieldParts";

/** What an approver leaves of a request. */
export interface PartChoice {
  fields: ReadonlySet<string>;
  unmask: ReadonlySet<string>;
  days: string;
}

/** So many fields of a request the API lists. */
const MOST_LISTED = 500;

const opensOf = (r: AccessRequest) => r.opens ?? [];

export function wholeChoice(r: AccessRequest): PartChoice {
  return {
    fields: new Set(opensOf(r).map((o) => o.path)),
    unmask: new Set(opensOf(r).flatMap((o) => (o.clear ? [o.path] : []))),
    days: "",
  };
}

/** The part to send: nothing where everything is left as requested. */
export function partOf(r: AccessRequest, choice: PartChoice, now: number): Part {
  const all = opensOf(r);
  const part: Part = {};
  const fewer = choice.fields.size < all.length;
  if (fewer) part.fields = all.map((o) => o.path).filter((path) => choice.fields.has(path));
  const unmasked = all.filter((o) => o.clear && choice.fields.has(o.path));
  if (unmasked.some((o) => !choice.unmask.has(o.path))) {
    part.unmask = unmasked.map((o) => o.path).filter((path) => choice.unmask.has(path));
  }
  if (choice.days !== "") part.until = new Date(now + Number(choice.days) * 86_400_000).toISOString();
  return part;
}

/** Fewer fields, masked instead of unmasked, shorter. */
export function PartForm({
  request: r,
  choice,
  onChange,
}: {
  request: AccessRequest;
  choice: PartChoice;
  onChange: (choice: PartChoice) => void;
}) {
  const paths = opensOf(r).map((o) => o.path);
  return (
    <fieldset className="stack-s">
      <legend>What to approve</legend>
      {r.extends === null && (
        <div className="table-wrap" style={{ maxHeight: 260 }}>
          <table className="table">
            <thead>
              <tr>
                <th>Field</th>
                <th>Unmasked</th>
              </tr>
            </thead>
            <tbody>
              {opensOf(r).map((o) => (
                <tr key={o.path}>
                  <td>
                    <label className="row-nowrap">
                      <input
                        type="checkbox"
                        checked={choice.fields.has(o.path)}
                        onChange={() => onChange({ ...choice, fields: toggled(choice.fields, o.path, paths) })}
                      />
                      <span className="mono anywhere">{o.path}</span>
                    </label>
                  </td>
                  <td>
                    {o.clear ? (
                      <input
                        type="checkbox"
                        aria-label={`${o.path} unmasked`}
                        disabled={!choice.fields.has(o.path)}
                        checked={choice.fields.has(o.path) && choice.unmask.has(o.path)}
                        onChange={() => onChange({ ...choice, unmask: toggled(choice.unmask, o.path, paths) })}
                      />
                    ) : (
                      <span className="muted">masked</span>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {paths.length >= MOST_LISTED && (
        <p className="badge warn">
          Only the first {MOST_LISTED} fields are listed. If you leave one out, others that are not listed are left out
          too.
        </p>
      )}
      <div className="field">
        <label htmlFor="part-days">Days from now</label>
        <input
          id="part-days"
          className="input"
          type="number"
          min={1}
          step={1}
          placeholder={`until ${r.until.slice(0, 10)}, as requested`}
          value={choice.days}
          onChange={(event) => onChange({ ...choice, days: event.target.value })}
        />
      </div>
    </fieldset>
  );
}
