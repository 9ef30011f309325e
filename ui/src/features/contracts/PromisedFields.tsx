// The fields of a contract as a table: promised or not, always there, and the limits of what they hold.
import { Fragment } from "react";
import { LongName } from "@/components/LongName";
import type { FieldRule } from "@/lib/contractForm";

export function PromisedFields({
  of,
  problems,
  onChange,
}: {
  of: FieldRule[];
  /** By path; `fields`: of all together. */
  problems: Readonly<Record<string, string>>;
  onChange: (of: FieldRule[]) => void;
}) {
  const change = (at: number, part: Partial<FieldRule>) =>
    onChange(of.map((rule, i) => (i === at ? { ...rule, ...part } : rule)));
  if (of.length === 0) return <p className="muted small">The contract names no field.</p>;
  return (
    <fieldset className="plain-set stack-s">
      <legend>Fields</legend>
      {problems.fields && <p className="bad-text small">{problems.fields}</p>}
      <div className="table-wrap">
        <table className="table" aria-label="Promised fields">
          <thead>
            <tr>
              <th>Field</th>
              <th>Always there</th>
              <th>From, to</th>
              <th>Only these values</th>
            </tr>
          </thead>
          <tbody>
            {of.map((rule, at) => (
              <Fragment key={rule.at.join()}>
                <tr>
                  <td>
                    <label className="row-nowrap">
                      <input
                        type="checkbox"
                        checked={rule.promised}
                        onChange={(event) => change(at, { promised: event.target.checked })}
                      />
                      <span className="mono small anywhere">
                        <LongName of={rule.path} />
                        {rule.type && <span className="muted"> {rule.type}</span>}
                      </span>
                    </label>
                  </td>
                  <td>
                    <input
                      type="checkbox"
                      aria-label={`${rule.path} is always there`}
                      disabled={!rule.promised}
                      checked={rule.required}
                      onChange={(event) => change(at, { required: event.target.checked })}
                    />
                  </td>
                  <td>{rule.limits && <Limits rule={rule} onChange={(part) => change(at, part)} />}</td>
                  <td>
                    <textarea
                      className="textarea mono small"
                      rows={rule.values ? 3 : 1}
                      aria-label={`Values of ${rule.path}, a line each`}
                      disabled={!rule.promised}
                      value={rule.values}
                      onChange={(event) => change(at, { values: event.target.value })}
                    />
                  </td>
                </tr>
                {problems[rule.path] && (
                  <tr className="below">
                    <td colSpan={4} className="bad-text small">
                      {problems[rule.path]}
                    </td>
                  </tr>
                )}
              </Fragment>
            ))}
          </tbody>
        </table>
      </div>
    </fieldset>
  );
}

function Limits({ rule, onChange }: { rule: FieldRule; onChange: (part: Partial<FieldRule>) => void }) {
  const of = rule.limits === "length" ? "length" : "value";
  return (
    <span className="row-nowrap">
      {(["least", "most"] as const).map((end) => (
        <input
          key={end}
          className="input number-input"
          inputMode="decimal"
          aria-label={`${end === "least" ? "Least" : "Most"} ${of} of ${rule.path}`}
          placeholder={of}
          disabled={!rule.promised}
          value={rule[end]}
          onChange={(event) => onChange({ [end]: event.target.value })}
        />
      ))}
    </span>
  );
}
