import { useId } from "react";

/** A labelled list, an entry a line, with a hint under it. */
export function TextLines({
  label,
  value,
  onChange,
  placeholder,
  hint,
  rows = 3,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  placeholder: string;
  hint: string;
  rows?: number;
}) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        className="textarea mono"
        rows={rows}
        spellCheck={false}
        placeholder={placeholder}
        value={value}
        aria-describedby={`${id}-about`}
        onChange={(event) => onChange(event.target.value)}
      />
      <span id={`${id}-about`} className="hint">
        {hint}
      </span>
    </div>
  );
}
