import { X } from "lucide-react";

export interface Chip {
  key: string;
  text: string;
  remove: () => void;
}

/** The filters in force, each with a button that lifts it. */
export function FilterChips({ chips }: { chips: Chip[] }) {
  if (chips.length === 0) return null;
  return (
    <ul className="filter-chips" aria-label="Active filters">
      {chips.map(({ key, text, remove }) => (
        <li key={key}>
          <button type="button" className="chip" aria-label={`Remove filter ${text}`} onClick={remove}>
            <span className="anywhere">{text}</span>
            <X size={13} aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  );
}
