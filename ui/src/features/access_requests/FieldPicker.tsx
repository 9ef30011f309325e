// Which fields: nothing is chosen at first, and what one sees already is marked. Personal data first, since that is hidden.
import { useState } from "react";
import type { Classification, Field } from "@/api/types";
import { EntityBadge } from "@/components/EntityBadge";

const MOST = 60;
/** Every field of the dataset, as the API writes it. */
export const EVERY = "*";

export function FieldPicker({
  fields,
  found,
  sees,
  chosen,
  onChange,
}: {
  fields: Field[];
  found: Classification[];
  /** Paths that the requester sees unmasked already. */
  sees: ReadonlySet<string>;
  chosen: string[];
  onChange: (fields: string[]) => void;
}) {
  const [text, setText] = useState("");
  const tagged = found.filter((c) => c.state !== "rejected");
  const personal = (path: string) => tagged.filter((c) => c.path === path);
  const leaves = fields.filter(
    (f) => !fields.some((other) => other.path !== f.path && other.path.startsWith(`${f.path}.`)),
  );
  const every = chosen.includes(EVERY);
  const picked = chosen.filter((path) => path !== EVERY);
  const paths = [...new Set([...picked, ...tagged.map((c) => c.path), ...leaves.map((f) => f.path)])];
  const wanted = text.trim().toLowerCase();
  const shown = paths.filter((p) => p.toLowerCase().includes(wanted));
  return (
    <fieldset className="field plain-set">
      <legend className="label strong">Fields</legend>
      <span className="hint" aria-live="polite">
        {every
          ? "Every field is requested."
          : picked.length === 0
            ? "Choose at least one."
            : `${picked.length} chosen.`}
      </span>
      <div>
        <label className="row-nowrap">
          <input type="checkbox" checked={every} onChange={(e) => onChange(e.target.checked ? [EVERY] : [])} />
          Every field, also those that are added later
        </label>
      </div>
      {!every && (
        <>
          <input
            className="input"
            aria-label="Filter fields"
            placeholder="Filter fields"
            value={text}
            onChange={(e) => setText(e.target.value)}
          />
          <ul className="picker">
            {shown.slice(0, MOST).map((path) => (
              <li key={path}>
                <label className="row">
                  <input
                    type="checkbox"
                    checked={picked.includes(path)}
                    onChange={(e) => onChange(e.target.checked ? [...picked, path] : picked.filter((p) => p !== path))}
                  />
                  <span className="mono anywhere">{path}</span>
                  {personal(path).map((c) => (
                    <EntityBadge key={c.entity} of={c} />
                  ))}
                  {sees.has(path) && <span className="badge ok">you see it</span>}
                </label>
              </li>
            ))}
          </ul>
          {shown.length > MOST && <span className="hint">{shown.length - MOST} more: filter for them.</span>}
        </>
      )}
    </fieldset>
  );
}
