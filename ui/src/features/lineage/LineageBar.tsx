import { SlidersHorizontal } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import type { Basis } from "@/api/types";
import { Segments } from "@/components/Segments";
import { TimeTravel } from "@/features/lineage/TimeTravel";
import { plural } from "@/lib/format";
import type { GroupBy } from "@/lib/group";

const AGO: [string, number][] = [
  ["yesterday", 1],
  ["last week", 7],
  ["last month", 30],
  ["last quarter", 90],
];
const DAY = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY).toISOString().replace(/\.\d+Z$/, "Z");
const near = (at: string, days: number) => Math.abs(Date.now() - days * DAY - Date.parse(at)) < DAY / 4;

/** "All" hops: as deep as the graph is asked for. */
export const ALL = 20;

export function LineageBar({
  level,
  depth,
  direction,
  asOf,
  basis,
  first,
  ungrouped,
  by,
  since,
  onGroup,
  onChange,
  children,
}: {
  level: string;
  depth: number;
  direction: string;
  asOf: string | null;
  basis: Basis;
  first: number | null;
  ungrouped: boolean;
  by: GroupBy;
  /** The earlier time that is compared with. */
  since: string | null;
  onGroup: () => void;
  onChange: (changes: Record<string, string | null>) => void;
  /** What stands at the end of the row. */
  children: ReactNode;
}) {
  // On a narrow screen the graph comes first: the choices are behind one button, which names what is chosen.
  const [open, setOpen] = useState(false);
  const id = useId();
  // Times, what is compared and groups are asked for seldom: behind one button, which names what differs from the usual.
  const special = [
    ...(asOf ? [`as of ${asOf.slice(0, 10)}`] : []),
    ...(since ? ["compared"] : []),
    ...(basis === "contents" ? ["stored contents"] : []),
    ...(by === "leaves" && !ungrouped ? [] : ["groups"]),
  ];
  const [more, setMore] = useState(special.length > 0);
  const chosen = [
    level === "column" ? "columns" : "datasets",
    ...(direction === "both" ? [] : [direction]),
    depth >= ALL ? "all hops" : plural(depth, "hop"),
    ...special,
  ];
  return (
    <>
      <button
        type="button"
        className="button lineage-options"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
      >
        <SlidersHorizontal size={15} aria-hidden /> Options <span className="muted">{chosen.join(", ")}</span>
      </button>
      <div id={id} className={`row lineage-bar ${open ? "open" : ""}`}>
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
        <button
          type="button"
          className="button lineage-more-button"
          aria-expanded={more}
          aria-controls={`${id}-more`}
          onClick={() => setMore(!more)}
        >
          Time and groups {special.length > 0 && <span className="muted">{special.join(", ")}</span>}
        </button>
        {ungrouped && (
          <button type="button" className="button group-again" onClick={onGroup}>
            Group again
          </button>
        )}
        {children}
      </div>
      <div id={`${id}-more`} className={`row lineage-more ${open ? "open" : ""}`} hidden={!more}>
        <TimeTravel asOf={asOf} first={first} onChange={(at) => onChange({ asOf: at })} />
        <label className="row-nowrap">
          <span className="muted">Changes since</span>
          <select
            className="select"
            aria-label="Changes since"
            value={since === null ? "" : (AGO.find(([, days]) => near(since, days))?.[0] ?? "then")}
            onChange={(e) => {
              const days = AGO.find(([name]) => name === e.target.value)?.[1];
              onChange({ since: days === undefined ? null : daysAgo(days) });
            }}
          >
            <option value="">not compared</option>
            {AGO.map(([name]) => (
              <option key={name}>{name}</option>
            ))}
            {since !== null && !AGO.some(([, days]) => near(since, days)) && (
              <option value="then">{since.slice(0, 16).replace("T", " ")} UTC</option>
            )}
          </select>
        </label>
        <Choice
          label="Show"
          value={basis}
          options={{ last_run: "last runs", contents: "stored contents" }}
          onChange={(chosen) => onChange({ basis: chosen === "last_run" ? null : chosen })}
        />
        <Choice
          label="Group"
          value={by}
          options={{ leaves: "many leaves", place: "by place", none: "nothing" }}
          onChange={(chosen) => onChange({ group: chosen === "leaves" ? null : chosen })}
        />
      </div>
    </>
  );
}

function Choice({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: string;
  /** Value to what is shown of it. */
  options: Record<string, string>;
  onChange: (value: string) => void;
}) {
  return (
    <label className="row-nowrap">
      <span className="muted">{label}</span>
      <select className="select" aria-label={label} value={value} onChange={(e) => onChange(e.target.value)}>
        {Object.entries(options).map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
