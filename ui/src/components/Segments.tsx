import type { ReactNode } from "react";

/** A choice among few, all in sight. */
export function Segments<T extends string | number>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: T;
  options: { value: T; text: ReactNode; title?: string }[];
  onChange: (value: T) => void;
}) {
  return (
    <fieldset className="segments" style={{ padding: 0, margin: 0, minWidth: 0 }} aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          title={option.title}
          onClick={() => onChange(option.value)}
        >
          {option.text}
        </button>
      ))}
    </fieldset>
  );
}
