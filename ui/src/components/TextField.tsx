import { useId } from "react";

/** A labelled line of text, with a hint under it. */
export function TextField({
  label,
  value,
  onChange,
  hint,
  problem,
  placeholder,
  required,
  disabled,
  mono = false,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  hint?: string;
  problem?: string | null;
  placeholder?: string;
  required?: boolean;
  disabled?: boolean;
  mono?: boolean;
}) {
  const id = useId();
  const about = hint || problem;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className={`input ${mono ? "mono" : ""}`}
        value={value}
        required={required}
        disabled={disabled}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        aria-describedby={about ? `${id}-about` : undefined}
        aria-invalid={problem ? true : undefined}
        onChange={(event) => onChange(event.target.value)}
      />
      {about && (
        <span id={`${id}-about`} className={`hint ${problem ? "bad-text" : ""}`}>
          {problem ?? hint}
        </span>
      )}
    </div>
  );
}
