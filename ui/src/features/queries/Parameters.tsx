// Values of the parameters of a statement, each as a text, a number or NULL.
import type { Parameter, ParameterType } from "@/lib/parameters";

const TYPES: ParameterType[] = ["text", "number", "null"];

export function Parameters({
  names,
  values,
  onChange,
}: {
  names: string[];
  values: ReadonlyMap<string, Parameter>;
  onChange: (values: Map<string, Parameter>) => void;
}) {
  if (names.length === 0) return null;
  const set = (name: string, change: Partial<Parameter>) => {
    const before = values.get(name) ?? { value: "", type: "text" as const };
    onChange(new Map(values).set(name, { ...before, ...change }));
  };
  return (
    <fieldset className="query-parameters plain-set" aria-label="Parameters">
      {names.map((name) => {
        const { value, type } = values.get(name) ?? { value: "", type: "text" as const };
        return (
          <div key={name} className="row-nowrap">
            <label className="row small">
              <code>:{name}</code>
              <input
                className="input"
                value={type === "null" ? "" : value}
                disabled={type === "null"}
                inputMode={type === "number" ? "decimal" : "text"}
                autoComplete="off"
                onChange={(event) => set(name, { value: event.target.value })}
              />
            </label>
            <select
              className="select"
              aria-label={`Type of ${name}`}
              value={type}
              onChange={(event) => set(name, { type: event.target.value as ParameterType })}
            >
              {TYPES.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          </div>
        );
      })}
    </fieldset>
  );
}
