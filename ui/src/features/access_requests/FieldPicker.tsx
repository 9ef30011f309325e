// Which fields: personal data first, since that is what is hidden; the rest behind a filter.
import { useState } from "react";
import type { Classification, Field } from "@/api/types";
import { EntityBadge } from "@/components/EntityBadge";

const MOST = 60;

export function FieldPicker({
  fields,
  found,
  chosen,
  onChange,
}: {
  fields: Field[];
  found: Classification[];
  chosen: string[];
  onChange: (fields: string[]) => void;
}) {
  const [text, setText] = useState("");
  const tagged = found.filter((c) => c.state !== "rejected");
  const personal = (path: string) => tagged.filter((c) => c.path === path);
  const leaves = fields.filter(
    (f) => !fields.some((other) => other.path !== f.path && other.path.startsWith(`${f.path}.`)),
  );
  const paths = [...new Set([...chosen, ...tagged.map((c) => c.path), ...leaves.map((f) => f.path)])];
  const wanted = text.trim().toLowerCase();
  const shown = paths.filter((p) => p.toLowerCase().includes(wanted));
  return (
    <fieldset className="field" style={{ border: 0, padding: 0, margin: 0, minWidth: 0 }}>
      <legend className="label strong" style={{ padding: 0 }}>
        Fields
      </legend>
      <span className="hint">
        {chosen.length === 0 ? "None chosen: every field is requested." : `${chosen.length} chosen.`}
      </span>
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
                checked={chosen.includes(path)}
                onChange={(e) => onChange(e.target.checked ? [...chosen, path] : chosen.filter((p) => p !== path))}
              />
              <span className="mono anywhere">{path}</span>
              {personal(path).map((c) => (
                <EntityBadge key={c.entity} of={c} />
              ))}
            </label>
          </li>
        ))}
      </ul>
      {shown.length > MOST && <span className="hint">{shown.length - MOST} more: filter for them.</span>}
    </fieldset>
  );
}
