import { Segments } from "@/components/Segments";
import { TimeTravel } from "@/pages/lineage/TimeTravel";

/** "All" hops: as deep as the graph is asked for. */
export const ALL = 20;

export function LineageBar({
  level,
  depth,
  direction,
  asOf,
  first,
  ungrouped,
  onGroup,
  onChange,
}: {
  level: string;
  depth: number;
  direction: string;
  asOf: string | null;
  first: number | null;
  ungrouped: boolean;
  onGroup: () => void;
  onChange: (changes: Record<string, string | null>) => void;
}) {
  return (
    <div className="row lineage-bar">
      <Segments
        label="Level"
        value={level}
        onChange={(value) => onChange({ level: value, chosen: null })}
        options={[
          { value: "dataset", text: "Datasets" },
          { value: "column", text: "Columns" },
        ]}
      />
      <Segments
        label="Direction"
        value={direction}
        onChange={(value) => onChange({ direction: value === "both" ? null : value })}
        options={[
          { value: "upstream", text: "Upstream" },
          { value: "both", text: "Both" },
          { value: "downstream", text: "Downstream" },
        ]}
      />
      <Segments
        label="Hops"
        value={Math.min(depth, ALL)}
        onChange={(value) => onChange({ depth: value === 1 ? null : String(value) })}
        options={[
          { value: 1, text: "1 hop" },
          { value: 2, text: "2" },
          { value: 3, text: "3" },
          { value: ALL, text: "all" },
        ]}
      />
      <TimeTravel asOf={asOf} first={first} onChange={(at) => onChange({ asOf: at })} />
      {ungrouped && (
        <button type="button" className="button small" onClick={onGroup}>
          Group again
        </button>
      )}
    </div>
  );
}
