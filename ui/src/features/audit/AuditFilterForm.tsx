// What narrows the audit: days, people, kinds and datasets first; what is rarer behind one word.

import { AUDIT_KINDS } from "@/lib/auditFilters";
import { ACTIONS, actionNamed, actionWords } from "@/lib/auditWords";

const FIRST = {
  person: ["Person", "who did it or is meant"],
  dataset: ["Dataset", "prod/orders"],
} as const;
const RARER = {
  actor: ["Who did it", "ana"],
  action: ["Action", "grant revoked"],
  target: ["On what, as written", "prod/orders"],
  field: ["Field", "value.customer.email"],
  agent: ["Agent", "its name or its token's id"],
  tool: ["Tool", "run_query"],
} as const;
const NAMES = { ...FIRST, ...RARER };
type Name = keyof typeof NAMES;

export function AuditFilterForm({
  params,
  onChange,
}: {
  params: URLSearchParams;
  onChange: (next: URLSearchParams) => void;
}) {
  const set = (name: string, typed: string) => {
    const value = name === "action" ? actionNamed(typed) : typed.trim();
    if (value === (params.get(name) ?? "")) return;
    const next = new URLSearchParams(params);
    value ? next.set(name, value) : next.delete(name);
    onChange(next);
  };
  const field = (name: Name) => (
    <Text key={name} name={name} value={params.get(name) ?? ""} onChange={(typed) => set(name, typed)} />
  );
  const action = params.get("action") ?? "";
  return (
    <form className="stack-s" onSubmit={(event) => event.preventDefault()}>
      <div className="row" style={{ alignItems: "end" }}>
        <Day label="From" value={params.get("from") ?? ""} onChange={(day) => set("from", day)} />
        <Day label="To" value={params.get("to") ?? ""} onChange={(day) => set("to", day)} />
        <label className="stack-s" style={{ gap: 4 }}>
          <span className="small muted">Kind</span>
          <select
            className="select"
            value={Object.hasOwn(AUDIT_KINDS, action) ? action : ""}
            onChange={(event) => set("action", event.target.value)}
          >
            <option value="">
              {action && !Object.hasOwn(AUDIT_KINDS, action) ? actionWords(action) : "every kind"}
            </option>
            {Object.entries(AUDIT_KINDS).map(([kind, words]) => (
              <option key={kind} value={kind}>
                {words}
              </option>
            ))}
          </select>
        </label>
        {(Object.keys(FIRST) as Name[]).map(field)}
      </div>
      <details open={(Object.keys(RARER) as Name[]).some((name) => name !== "action" && params.has(name))}>
        <summary className="small">More filters</summary>
        <div className="row" style={{ alignItems: "end", paddingTop: 8 }}>
          {(Object.keys(RARER) as Name[]).map(field)}
        </div>
      </details>
      <label className="row-nowrap small">
        <input
          type="checkbox"
          checked={params.get("typing") === "shown"}
          onChange={(event) => set("typing", event.target.checked ? "shown" : "")}
        />
        Checks while typing, too
      </label>
      <datalist id="audit-actions">
        {ACTIONS.map(([name, words]) => (
          <option key={name} value={words}>
            {name}
          </option>
        ))}
      </datalist>
    </form>
  );
}

function Day({ label, value, onChange }: { label: string; value: string; onChange: (day: string) => void }) {
  return (
    <label className="stack-s" style={{ gap: 4 }}>
      <span className="small muted">{label}</span>
      <input className="input" type="date" value={value} onChange={(event) => onChange(event.target.value)} />
    </label>
  );
}

/** Taken when the field is left, or by Enter. */
function Text({ name, value, onChange }: { name: Name; value: string; onChange: (typed: string) => void }) {
  const [label, example] = NAMES[name];
  const shown = name === "action" ? actionWords(value) : value;
  return (
    <label className="stack-s" style={{ gap: 4 }}>
      <span className="small muted">{label}</span>
      <input
        key={shown}
        className="input"
        style={{ width: 210 }}
        name={name}
        placeholder={example}
        list={name === "action" ? "audit-actions" : undefined}
        defaultValue={shown}
        onKeyDown={(event) => event.key === "Enter" && onChange(event.currentTarget.value)}
        onBlur={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
}
