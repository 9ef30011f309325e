// Every dataset in one table: filter as you type, sort by a click on a head. Only rows in sight are drawn.

import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown, ArrowUp } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import { Link, useSearchParams } from "react-router";
import { useDatasets } from "@/api/catalog";
import { useLags } from "@/api/topics";
import type { Dataset } from "@/api/types";
import { Answer } from "@/components/Answer";
import { Empty } from "@/components/Empty";
import { PageHead } from "@/components/PageHead";
import { Segments } from "@/components/Segments";
import { When } from "@/components/When";
import { count, plural } from "@/lib/format";
import { links } from "@/lib/links";
import { arrows } from "@/lib/listKeys";
import { useMay } from "@/lib/may";
import "@/styles/datasets.css";

const SHOWN = {
  all: { text: "all", fits: () => true },
  unowned: { text: "no owner", fits: (d: Dataset) => d.owners.length === 0 },
  unscanned: { text: "never scanned", fits: (d: Dataset) => !d.scanned_at && !d.deleted_at },
  problems: {
    text: "problems",
    fits: (d: Dataset) => Boolean(d.scan.error) || (d.scan.problems ?? []).length > 0 || Boolean(d.deleted_at),
  },
};
type Shown = keyof typeof SHOWN;

const COLUMNS = {
  name: { text: "Dataset", by: (d: Dataset) => d.reference.toLowerCase() },
  format: { text: "Value", by: (d: Dataset) => d.format.value ?? "" },
  records: { text: "Records", by: (d: Dataset) => d.topic.retained ?? -1 },
  lag: { text: "Lag", by: () => -1 },
  owners: { text: "Owners", by: (d: Dataset) => d.owners.join(",") },
  newest: { text: "Newest record", by: newest },
  scanned: { text: "Scanned", by: (d: Dataset) => d.scanned_at ?? "" },
};
type Column = keyof typeof COLUMNS;

function newest(dataset: Dataset): string {
  const at = (dataset.scan as { time_to?: unknown }).time_to;
  return typeof at === "string" ? at : "";
}

const ROW = 41;

export default function DatasetsPage() {
  const { may } = useMay();
  const [params, setParams] = useSearchParams();
  const datasets = useDatasets();
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
                options={(Object.keys(SHOWN) as Shown[]).map((value) => ({
                  value,
                  text: (
                    <>
                      {SHOWN[value].text} <span className="muted">{count(all.filter(SHOWN[value].fits).length)}</span>
                    </>
                  ),
                }))}
              />
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

function Table({ datasets, shown, filter }: { datasets: Dataset[]; shown: Shown; filter: string }) {
  const [sort, setSort] = useState<{ by: Column; down: boolean }>({ by: "name", down: false });
  const clusters = useMemo(() => [...new Set(datasets.map((d) => d.cluster).filter((c) => c !== null))], [datasets]);
  const lags = useLags(clusters);
  const rows = useMemo(() => {
    const words = filter.split(/\s+/).filter(Boolean);
    const text = (d: Dataset) => [d.reference, d.description, ...d.owners, ...d.tags].join(" ").toLowerCase();
    const key = sort.by === "lag" ? (d: Dataset) => lags.get(d.reference) ?? -1 : COLUMNS[sort.by].by;
    return datasets
      .filter(SHOWN[shown].fits)
      .filter((d) => words.every((word) => text(d).includes(word)))
      .map((d) => ({ d, key: key(d) }))
      .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0) * (sort.down ? -1 : 1))
      .map(({ d }) => d);
  }, [datasets, shown, filter, sort, lags]);
  const list = useRef<HTMLDivElement>(null);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => ROW,
    overscan: 20,
    scrollMargin: list.current?.offsetTop ?? 0,
  });
  if (rows.length === 0) {
    return (
      <div className="panel">
        <Empty title={datasets.length === 0 ? "The catalog is empty" : "No dataset matches"}>
          <p>
            {datasets.length === 0 ? (
              <Link to={links.admin("scans")}>Scan a cluster to begin</Link>
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
      <div className="panel flush datasets" role="table" aria-label="Datasets" aria-rowcount={rows.length + 1}>
        <div role="rowgroup">
          <div role="row" className="datasets-row datasets-head">
            {(Object.keys(COLUMNS) as Column[]).map((column) => {
              const here = sort.by === column;
              const Arrow = sort.down ? ArrowDown : ArrowUp;
              return (
                <span
                  key={column}
                  role="columnheader"
                  className={column}
                  aria-sort={here ? (sort.down ? "descending" : "ascending") : "none"}
                >
                  <button type="button" onClick={() => setSort({ by: column, down: here ? !sort.down : false })}>
                    {COLUMNS[column].text} {here && <Arrow size={12} aria-hidden />}
                  </button>
                </span>
              );
            })}
          </div>
        </div>
        <div
          role="rowgroup"
          ref={list}
          style={{ height: virtual.getTotalSize(), position: "relative" }}
          onKeyDown={arrows("[data-row]")}
        >
          {virtual.getVirtualItems().map((item) => {
            const d = rows[item.index] as Dataset;
            return (
              <div
                key={item.key}
                role="row"
                aria-rowindex={item.index + 2}
                className="datasets-row"
                style={{ height: ROW, transform: `translateY(${item.start - virtual.options.scrollMargin}px)` }}
              >
                <Cells of={d} lag={lags.get(d.reference)} />
              </div>
            );
          })}
        </div>
      </div>
    </>
  );
}

function Cells({ of: d, lag }: { of: Dataset; lag: number | undefined }) {
  return (
    <>
      <span role="cell" className="name">
        <Link data-row className="strong" to={links.dataset(d.cluster ?? d.namespace, d.name)}>
          {d.name}
        </Link>{" "}
        <span className="muted small" title={d.description}>
          {d.cluster ?? d.namespace}
          {d.description && ` · ${d.description}`}
        </span>
      </span>
      <span role="cell" className="format small">
        {d.format.value ?? "–"}
      </span>
      <span role="cell" className="records">
        {count(d.topic.retained)}
      </span>
      <span role="cell" className="lag">
        {lag === undefined ? (
          <span className="muted">–</span>
        ) : (
          <Link
            to={links.dataset(d.cluster ?? d.namespace, d.name, "consumers")}
            title="Of all consumer groups together"
          >
            {count(lag)}
          </Link>
        )}
      </span>
      <span role="cell" className="owners small">
        {d.owners.length > 0 ? d.owners.join(", ") : <span className="badge warn">none</span>}
      </span>
      <span role="cell" className="newest small">
        <When at={newest(d) || null} never="–" />
      </span>
      <span role="cell" className="scanned small">
        {d.scan.error ? <span className="badge bad">failed</span> : <When at={d.scanned_at} />}
        {d.deleted_at && <span className="badge">gone</span>}
      </span>
    </>
  );
}
