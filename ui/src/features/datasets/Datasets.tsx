// Every dataset in one table: filter as you type, sort by a click on a head. Only rows in sight are drawn.
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown, ArrowUp, X } from "lucide-react";
import { type CSSProperties, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { Link, useSearchParams } from "react-router";
import { useDatasets } from "@/api/catalog";
import { useLags } from "@/api/topics";
import type { Dataset } from "@/api/types";
import { Answer } from "@/components/Answer";
import { Empty } from "@/components/Empty";
import { Needs } from "@/components/Needs";
import { PageHead } from "@/components/PageHead";
import { Segments } from "@/components/Segments";
import { TableTools } from "@/components/TableTools";
import { When } from "@/components/When";
import { useColumnWidths, WidthHandle } from "@/components/WidthHandle";
import { bytes, count, plural } from "@/lib/format";
import { useTableSettings } from "@/lib/kept";
import { links } from "@/lib/links";
import { arrows } from "@/lib/listKeys";
import { useMay } from "@/lib/may";
import "@/styles/datasets.css";
import { entityWords } from "@/lib/entityWords";

const WEEK_MS = 7 * 86_400_000;
/** From so many records on a topic's consumers count as behind; as the inbox has it. */
const BEHIND = 10_000;
type Fits = (d: Dataset, lag?: number) => boolean;
const departs: Fits = (d) => (d.scan.problems ?? []).some((problem) => problem.reason === "departs");
/** Without those that only producers of lineage name, which nobody can scan, and those whose scan failed. */
const neverScanned: Fits = (d) => !d.scannedAt && !d.deletedAt && !d.scan.error && d.source !== "lineage";
const isNew: Fits = (d) => !d.deletedAt && Date.parse(d.createdAt ?? "") >= Date.now() - WEEK_MS;

/** Which datasets are shown; those without a place of their own among the choices are where the inbox leads. */
const SHOWN = {
  all: { text: "all", fits: () => true },
  unowned: { text: "no owner", fits: (d: Dataset) => d.owners.length === 0 },
  unscanned: { text: "never scanned", fits: neverScanned },
  problems: {
    text: "problems",
    fits: (d: Dataset) => Boolean(d.scan.error) || (d.scan.problems ?? []).length > 0 || Boolean(d.deletedAt),
  },
  failed: { text: "failed scan", fits: (d: Dataset) => Boolean(d.scan.error), rare: true },
  unfinished: { text: "unfinished fields", fits: (d: Dataset) => (d.scan.unscanned ?? []).length > 0, rare: true },
  departs: { text: "departs from schema", fits: departs, rare: true },
  behind: { text: "consumers behind", fits: (_: Dataset, lag?: number) => (lag ?? 0) >= BEHIND, rare: true },
  new: { text: "new this week", fits: isNew, rare: true },
} satisfies Record<string, { text: string; fits: Fits; rare?: boolean }>;
type Shown = keyof typeof SHOWN;

interface DatasetColumn {
  text: string;
  /** Its width in pixels before anybody drags it; what is left over goes to the columns that `fill`. */
  width: number;
  fill?: boolean;
  by: (d: Dataset) => string | number;
  cell: (d: Dataset, lag: number | undefined) => ReactNode;
  small?: boolean;
}

const COLUMNS = {
  name: { text: "Dataset", width: 190, fill: true, by: (d) => d.reference.toLowerCase(), cell: (d) => <Name of={d} /> },
  format: {
    text: "Value",
    width: 88,
    small: true,
    by: (d) => d.format.value ?? "",
    cell: (d) => d.format.value ?? "–",
  },
  records: { text: "Records", width: 98, by: (d) => d.topic.retained ?? -1, cell: (d) => count(d.topic.retained) },
  size: { text: "Size", width: 86, by: (d) => d.topic.size ?? -1, cell: (d) => bytes(d.topic.size) },
  lag: { text: "Lag", width: 78, by: () => -1, cell: (d, lag) => <Lag of={d} lag={lag} /> },
  owners: {
    text: "Owners",
    width: 150,
    fill: true,
    small: true,
    by: (d) => d.owners.join(","),
    cell: (d) => (d.owners.length > 0 ? d.owners.join(", ") : <span className="badge warn">none</span>),
  },
  newest: {
    text: "Newest record",
    width: 126,
    small: true,
    by: newest,
    cell: (d) => <When at={newest(d) || null} never="–" />,
  },
  scanned: {
    text: "Scanned",
    width: 120,
    small: true,
    by: (d) => d.scannedAt ?? "",
    cell: (d) => (
      <>
        {d.scan.error ? <span className="badge bad">failed</span> : <When at={d.scannedAt} />}
        {d.deletedAt && <span className="badge">gone</span>}
      </>
    ),
  },
} satisfies Record<string, DatasetColumn>;
type Column = keyof typeof COLUMNS;
const NAMES = Object.keys(COLUMNS) as Column[];

function newest(dataset: Dataset): string {
  const at = (dataset.scan as { timeTo?: unknown }).timeTo;
  return typeof at === "string" ? at : "";
}

const ROW = 41;

export default function DatasetsPage() {
  const { may } = useMay();
  const [params, setParams] = useSearchParams();
  const entity = params.get("entity");
  const datasets = useDatasets(entity);
  const shown: Shown = (params.get("show") ?? "all") in SHOWN ? ((params.get("show") ?? "all") as Shown) : "all";
  const set = (name: string, value: string) => {
    const next = new URLSearchParams(params);
    value ? next.set(name, value) : next.delete(name);
    setParams(next, { replace: true });
  };
  return (
    <div className="page wide">
      <PageHead title="Datasets" lead="Topics of the declared clusters, and datasets that jobs reported.">
        {may("scan") && (
          <Link className="button" to={links.admin("scans")}>
            Scan topics
          </Link>
        )}
      </PageHead>
      <Answer of={datasets} lines={8}>
        {({ datasets: all, total }) => (
          <>
            <div className="row">
              <input
                className="input"
                style={{ width: 280 }}
                aria-label="Filter datasets"
                placeholder="Filter by name, owner, tag"
                value={params.get("filter") ?? ""}
                onChange={(e) => set("filter", e.target.value)}
              />
              <Segments
                label="Which"
                value={shown}
                onChange={(value) => set("show", value === "all" ? "" : value)}
                options={(Object.keys(SHOWN) as Shown[])
                  .filter((value) => value === shown || !isRare(value))
                  .map((value) => ({ value, text: <Choice of={value} datasets={all} /> }))}
              />
              {entity && (
                <button type="button" className="button small" onClick={() => set("entity", "")}>
                  with {entityWords(entity)} <X size={13} aria-label="Remove" />
                </button>
              )}
            </div>
            {total > all.length && (
              <p className="muted small">
                The first {count(all.length)} of {count(total)};{" "}
                <Link to={links.search({ kind: "dataset" })}>search</Link> finds the others.
              </p>
            )}
            <Table datasets={all} shown={shown} filter={(params.get("filter") ?? "").trim().toLowerCase()} />
          </>
        )}
      </Answer>
    </div>
  );
}

const isRare = (shown: Shown) => "rare" in SHOWN[shown];

/** The words of a choice and how many datasets it has; lag is known in the table alone. */
function Choice({ of, datasets }: { of: Shown; datasets: Dataset[] }) {
  const { text, fits } = SHOWN[of];
  return (
    <>
      {text} {of !== "behind" && <span className="muted">{count(datasets.filter((d) => fits(d)).length)}</span>}
    </>
  );
}

function Table({ datasets, shown, filter }: { datasets: Dataset[]; shown: Shown; filter: string }) {
  const [sort, setSort] = useState<{ by: Column; down: boolean }>({ by: "name", down: false });
  const clusters = useMemo(() => [...new Set(datasets.map((d) => d.cluster).filter((c) => c !== null))], [datasets]);
  const lags = useLags(clusters);
  const rows = useMemo(() => {
    const words = filter.split(/\s+/).filter(Boolean);
    const text = (d: Dataset) => [d.reference, d.description, ...d.owners, ...d.tags].join(" ").toLowerCase();
    const key = sort.by === "lag" ? (d: Dataset) => lags.get(d.reference) ?? -1 : COLUMNS[sort.by].by;
    return datasets
      .filter((d) => SHOWN[shown].fits(d, lags.get(d.reference)))
      .filter((d) => words.every((word) => text(d).includes(word)))
      .map((d) => ({ d, key: key(d) }))
      .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0) * (sort.down ? -1 : 1))
      .map(({ d }) => d);
  }, [datasets, shown, filter, sort, lags]);
  const { known, settings, change } = useTableSettings("datasets");
  const widths = useColumnWidths(settings.widths, (widths) => change({ widths }));
  const wrap = settings.wrap ?? false;
  const columns = NAMES.filter((column) => column === "name" || !settings.hidden.includes(column));
  const sizes = columns.map((column): { kept: number | undefined; column: DatasetColumn } => ({
    kept: widths.now[column],
    column: COLUMNS[column],
  }));
  const template = sizes.map(({ kept, column: { width, fill } }, at) => {
    if (kept) return at === 0 ? `min(${kept}px, 55vw)` : `${kept}px`;
    return fill ? `minmax(${width}px, ${at === 0 ? 3 : 1}fr)` : `${width}px`;
  });
  const least = sizes.reduce((sum, { kept, column }) => sum + (kept ?? column.width), 0);
  const list = useRef<HTMLDivElement>(null);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => ROW,
    overscan: 20,
    scrollMargin: list.current?.offsetTop ?? 0,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows that were measured while text wrapped are forgotten.
  useEffect(() => virtual.measure(), [wrap]);
  if (rows.length === 0) {
    return (
      <div className="panel">
        <Empty title={datasets.length === 0 ? "The catalog is empty" : "No dataset matches"}>
          <p>
            {datasets.length === 0 ? (
              <Needs permission="scan" what="Scanning">
                <Link to={links.admin("scans")}>Scan a cluster to begin</Link>
              </Needs>
            ) : (
              "Use fewer words or another choice above."
            )}
          </p>
        </Empty>
      </div>
    );
  }
  return (
    <>
      <p className="visually-hidden" role="status">
        {plural(rows.length, "dataset")}
      </p>
      <div className="panel flush">
        <TableTools
          label="the datasets"
          columns={NAMES.map((id) => ({ id, head: COLUMNS[id].text, always: id === "name" }))}
          settings={settings}
          wrap={wrap}
          known={known}
          onChange={change}
        />
        <div
          className={`datasets ${wrap ? "wrap" : ""}`}
          style={{ "--columns": template.join(" "), "--least": `${least}px` } as CSSProperties}
          role="table"
          aria-label="Datasets"
          aria-rowcount={rows.length + 1}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
          tabIndex={0}
        >
          <div role="rowgroup">
            <div role="row" className="datasets-row datasets-head">
              {columns.map((column) => {
                const here = sort.by === column;
                const Arrow = sort.down ? ArrowDown : ArrowUp;
                return (
                  <span
                    key={column}
                    role="columnheader"
                    data-column={column}
                    className={column}
                    aria-sort={here ? (sort.down ? "descending" : "ascending") : "none"}
                  >
                    <button
                      type="button"
                      className="sort"
                      onClick={() => setSort({ by: column, down: here ? !sort.down : false })}
                    >
                      {COLUMNS[column].text} {here && <Arrow size={12} aria-hidden />}
                    </button>
                    <WidthHandle column={column} label={COLUMNS[column].text} widths={widths} />
                  </span>
                );
              })}
            </div>
          </div>
          <div
            role="rowgroup"
            ref={list}
            className="datasets-body"
            style={{ height: virtual.getTotalSize() }}
            onKeyDown={arrows("[data-row]")}
          >
            {virtual.getVirtualItems().map((item) => {
              const d = rows[item.index] as Dataset;
              return (
                <div
                  key={item.key}
                  ref={wrap ? virtual.measureElement : undefined}
                  data-index={item.index}
                  role="row"
                  aria-rowindex={item.index + 2}
                  className="datasets-row"
                  style={{ height: wrap ? undefined : ROW, top: item.start - virtual.options.scrollMargin }}
                >
                  {columns.map((column) => (
                    <Cell key={column} column={column} of={d} lag={lags.get(d.reference)} />
                  ))}
                </div>
              );
            })}
          </div>
        </div>
      </div>
    </>
  );
}

function Cell({ column, of, lag }: { column: Column; of: Dataset; lag: number | undefined }) {
  const { small, cell }: DatasetColumn = COLUMNS[column];
  return (
    <span role="cell" className={`${column} ${small ? "small" : ""}`}>
      {cell(of, lag)}
    </span>
  );
}

function Name({ of: d }: { of: Dataset }) {
  return (
    <>
      <Link data-row className="strong" to={links.dataset(d.cluster ?? d.namespace, d.name)}>
        {d.name}
      </Link>{" "}
      <span className="muted small" title={d.description}>
        {d.cluster ?? d.namespace}
        {d.description && ` · ${d.description}`}
      </span>
    </>
  );
}

function Lag({ of: d, lag }: { of: Dataset; lag: number | undefined }) {
  if (lag === undefined) return <span className="muted">–</span>;
  return (
    <Link to={links.dataset(d.cluster ?? d.namespace, d.name, "consumers")} title="Of all consumer groups together">
      {count(lag)}
    </Link>
  );
}
