import { Clock, Database, Filter, Star, Tag } from "lucide-react";
import type { SearchOption } from "@/lib/searchOptions";

const ICONS = { dataset: Database, field: Tag, value: Filter, filter: Filter, recent: Clock, favourite: Star };

export const LIST = "search-options";

/** The list under the search box. The box keeps the focus; `active` is the option that the arrows reached. */
export function SearchOptions({
  options,
  active,
  onChoose,
}: {
  options: SearchOption[];
  active: number;
  onChoose: (option: SearchOption) => void;
}) {
  return (
    <div id={LIST} role="listbox" aria-label="Suggestions" className="menu search-options" tabIndex={-1}>
      {options.map((option, at) => {
        const Icon = ICONS[option.kind];
        return (
          // The keys are those of the box: it keeps the focus, as a combobox does.
          <div
            key={option.id}
            id={option.id}
            role="option"
            tabIndex={-1}
            aria-selected={at === active}
            className="search-option"
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => onChoose(option)}
            onKeyDown={() => undefined}
          >
            <Icon size={14} aria-hidden />
            <span className="anywhere">{option.text}</span>
            <span className="muted small">{option.note}</span>
          </div>
        );
      })}
    </div>
  );
}
