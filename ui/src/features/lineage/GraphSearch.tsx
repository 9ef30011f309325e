import { ChevronDown, ChevronUp } from "lucide-react";

/** Search in the graph: part of a name is typed, Enter goes to the next card, Shift and Enter to the one before. */
export function GraphSearch({
  text,
  number,
  at,
  onText,
  onStep,
}: {
  text: string;
  /** Cards that match, and which of them is shown, from zero. */
  number: number;
  at: number;
  onText: (text: string) => void;
  onStep: (by: 1 | -1) => void;
}) {
  const asked = text.trim() !== "";
  return (
    <search className="graph-search">
      <input
        className="input"
        type="search"
        aria-label="Search in the graph"
        placeholder="Search in the graph"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") onStep(event.shiftKey ? -1 : 1);
          if (event.key === "Escape") onText("");
        }}
      />
      <span className="muted small nowrap" role="status">
        {asked && (number === 0 ? "not in the graph" : `${at + 1} of ${number}`)}
      </span>
      {number > 1 && (
        <span className="row-nowrap">
          <button
            type="button"
            className="button quiet icon small"
            aria-label="Match before"
            onClick={() => onStep(-1)}
          >
            <ChevronUp size={14} aria-hidden />
          </button>
          <button type="button" className="button quiet icon small" aria-label="Next match" onClick={() => onStep(1)}>
            <ChevronDown size={14} aria-hidden />
          </button>
        </span>
      )}
    </search>
  );
}
