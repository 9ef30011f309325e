// Values of the declared properties of a dataset, each by a field of its type.
import { useId } from "react";

export type PropertyValue = string | number | boolean;

/** A property as `kind: Property` declares it. */
export interface PropertyKind {
  name: string;
  description: string;
  type: "text" | "number" | "boolean" | "date";
  values: PropertyValue[];
}

interface Props {
  kinds: PropertyKind[];
  values: Record<string, PropertyValue | null>;
  onChange: (values: Record<string, PropertyValue | null>) => void;
}

export function PropertyFields({ kinds, values, onChange }: Props) {
  if (kinds.length === 0) return null;
  return (
    <fieldset className="plain-set stack-s">
      <legend>Properties</legend>
      {kinds.map((kind) => (
        <Field
          key={kind.name}
          kind={kind}
          value={values[kind.name] ?? null}
          onChange={(value) => onChange({ ...values, [kind.name]: value })}
        />
      ))}
    </fieldset>
  );
}

interface FieldProps {
  kind: PropertyKind;
  value: PropertyValue | null;
  onChange: (value: PropertyValue | null) => void;
}

function Field({ kind, value, onChange }: FieldProps) {
  const id = useId();
  const choices = kind.type === "boolean" && kind.values.length === 0 ? [true, false] : kind.values;
  return (
    <div className="field">
      <label htmlFor={id}>{kind.name}</label>
      {choices.length > 0 ? (
        <select
          id={id}
          className="select"
          value={value === null ? "" : String(value)}
          onChange={(event) => onChange(choices.find((each) => String(each) === event.target.value) ?? null)}
        >
          <option value="">none</option>
          {choices.map((each) => (
            <option key={String(each)} value={String(each)}>
              {String(each)}
            </option>
          ))}
        </select>
      ) : (
        <input
          id={id}
          className="input"
          type={kind.type}
          step={kind.type === "number" ? "any" : undefined}
          value={value === null ? "" : String(value)}
          onChange={(event) => onChange(read(kind, event.target.value))}
        />
      )}
      {kind.description && <span className="hint">{kind.description}</span>}
    </div>
  );
}

function read(kind: PropertyKind, text: string): PropertyValue | null {
  if (text === "") return null;
  return kind.type === "number" ? Number(text) : text;
}
