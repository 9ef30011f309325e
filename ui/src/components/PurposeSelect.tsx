import type { DeclaredPurpose } from "@/api/types";
import { purposeOptions } from "@/lib/purposeOptions";

/** The declared tree to choose a purpose from. One that came by a link and is not offered stays, marked. */
export function PurposeSelect({
  id,
  value,
  onChange,
  purposes,
  may,
  none,
  required = false,
}: {
  id: string;
  value: string;
  onChange: (purpose: string) => void;
  purposes: readonly DeclaredPurpose[];
  may: (purpose: DeclaredPurpose) => boolean;
  none: string;
  required?: boolean;
}) {
  const options = purposeOptions(purposes, may);
  const offered = options.some((option) => option.name === value && option.choosable);
  return (
    <select
      id={id}
      className="select"
      required={required}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="">{none}</option>
      {value && !offered && <option value={value}>{value} (not offered)</option>}
      {options.map((option) => (
        <option
          key={option.name}
          value={option.name}
          disabled={!option.choosable}
          hidden={option.name === value && !offered}
        >
          {option.text}
        </option>
      ))}
    </select>
  );
}
