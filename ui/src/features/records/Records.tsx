// The topic browser: records newest first, or from a place; table, tree or raw; and what arrives from now on.
import { ChevronLeft, ChevronRight, Radio, RotateCw, Square } from "lucide-react";
import { useState } from "react";
import { Link, useSearchParams } from "react-router";
import type { BrowsedRecord, Dataset, Records as Page, QueryColumn } from "@/api/types";
import { CopyButton } from "@/components/CopyButton";
import { Empty } from "@/components/Empty";
import { Loading } from "@/components/Loading";
import { ErrorNotice, Notice } from "@/components/Notice";
import { ResultGrid } from "@/components/ResultGrid";
import { Segments } from "@/components/Segments";
import { LiveView } from "@/features/queries/LiveView";
import { useTail } from "@/features/queries/useTail";
import { placeText, RecordDialog } from "@/features/records/RecordDialog";
import { type Change, RecordFilters, RecordsBar } from "@/features/records/RecordsBar";
import { RecordTree } from "@/features/records/RecordTree";
import { DRAWN, TypedFilter, typedStatus } from "@/features/records/TypedFilter";
import { shows, useNewest } from "@/features/records/useNewest";
import { useRecords } from "@/features/records/useRecords";
import { bytes, cellText, count, plural } from "@/lib/format";
import { links } from "@/lib/links";
import { changed, readAsked, readView, type View } from "@/lib/recordsAddress";
import { recordText } from "@/lib/recordText";
import "@/styles/records.css";
import { exactLocalTime } from "@/lib/times";

const CLEAR = { effect: "clear" as const, text: "clear" };

/** The columns of the table: the place first, then key, headers, size, and the fields of the value. */
export function tableOf(page: Page, records: BrowsedRecord[]): { columns: QueryColumn[]; rows: unknown[][] } {
  const own = (name: string, type: string): QueryColumn => ({ name, type, decision: CLEAR });
  const parts: [QueryColumn, (r: BrowsedRecord) => unknown][] = [[own("_timestamp", "timestamp"), (r) => r.timestamp]];
  if (page.partitions) {
    parts.push([own("_partition", "int"), (r) => r.partition], [own("_offset", "bigint"), (r) => r.offset]);
  }
  const { key, headers } = page;
  if (key) parts.push([{ name: "_key", ...key }, (r) => r.key]);
  parts.push([
    own("size", page.rawReadable ? "value" : "as shown"),
    (r) => bytes(page.rawReadable ? r.bytes : r.shownBytes),
  ]);
  for (const column of page.columns) parts.push([column, (r) => r.value[column.name]]);
  if (headers) parts.push([{ name: "_headers", ...headers }, (r) => r.headers]);
  return { columns: parts.map(([c]) => c), rows: records.map((r) => parts.map(([, value]) => value(r))) };
}

export default function Records({ dataset }: { dataset: Dataset }) {
  const place = dataset.cluster ?? dataset.namespace;
  const [params, setParams] = useSearchParams();
  const asked = readAsked(params);
  const view = readView(params);
  const [opened, setOpened] = useState<number | null>(null);
  const change: Change = (some) => {
    setOpened(null);
    setParams(changed(params, some));
  };
  // Which way the pages go: a cursor may lead back.
  const back = params.get("back") === "1";
  const onward = asked.order === "newest" ? "older" : "newer";
  const forward = back ? (onward === "older" ? "newer" : "older") : onward;
  const found = useRecords(place, dataset.name, asked, forward);
  const tail = useTail();
  const [following, setFollowing] = useState(false);
  const [typed, setTyped] = useState("");
  const filter = typed.trim();
  const newest = useNewest(place, dataset.name, asked, forward, filter !== "");
  const page = found.page;
  const records = filter ? newest.records.filter((record) => shows(record, filter)) : found.records;
  const byTime = page !== null && page.partitions === null;

  const addFilter = (one: string) => {
    change({ field: [...asked.field.filter((other) => other !== one), one] });
  };
  const follow = () => {
    if (!page) return;
    setFollowing(true);
    void tail.start(page.follow, null);
  };
  const leave = () => {
    tail.stop();
    setFollowing(false);
    found.again();
  };

  if (found.error !== null && page === null) {
    return (
      <ErrorNotice error={found.error} retry={found.again}>
        <p>
          <Link to={links.ask(dataset.reference)}>Request access</Link> to see records of this dataset.
        </p>
      </ErrorNotice>
    );
  }
  const shown = opened === null ? undefined : records[opened];
  return (
    <div className="stack-s">
      <RecordsBar
        key={dataset.reference}
        asked={asked}
        partitions={allPartitions(dataset, page)}
        byTime={byTime}
        change={(some) => change({ ...some, back: null })}
      />
      <RecordFilters asked={asked} change={(some) => change({ ...some, back: null })} />
      <div className="spread">
        <p className="muted small" role="status">
          {following
            ? "What arrives from now on."
            : filter
              ? typedStatus(newest, records, view)
              : status(found, byTime)}
        </p>
        <span className="row">
          {found.running && found.searched !== null && !following && (
            <button type="button" className="button small" onClick={found.stop}>
              <Square size={13} aria-hidden />
              Stop
            </button>
          )}
          <Segments<View>
            label="View"
            value={view}
            options={[
              { value: "table", text: "Table" },
              { value: "tree", text: "Tree" },
              { value: "raw", text: "Raw" },
            ]}
            onChange={(next) => change({ view: next === "table" ? null : next })}
          />
          <button
            type="button"
            className="button small"
            aria-pressed={following}
            disabled={!page}
            onClick={following ? leave : follow}
          >
            <Radio size={13} aria-hidden />
            {following ? "Stop following" : "Follow"}
          </button>
          {page && (
            <Link className="button small" to={links.query(page.sql)}>
              Open as query
            </Link>
          )}
        </span>
      </div>
      {found.error !== null && <ErrorNotice error={found.error} retry={found.again} />}
      {!following &&
        page?.notes.map((note) => (
          <Notice key={note} tone="warn">
            {note}
          </Notice>
        ))}
      {!following && page?.truncated && (
        <Notice tone="warn">The records of this page are so large that some are on the next one.</Notice>
      )}
      {page?.unreadableText && <Notice tone="warn">{page.unreadableText}</Notice>}
      {!following && page && (
        <TypedFilter
          value={typed}
          change={(text) => {
            setOpened(null);
            setTyped(text);
          }}
        />
      )}
      {filter && newest.error !== null && <ErrorNotice error={newest.error} />}
      {following ? (
        <LiveView tail={tail} />
      ) : page === null ? (
        <Loading lines={8} label="Reading records" />
      ) : (
        <>
          <List
            page={page}
            records={view === "table" ? records : records.slice(0, DRAWN)}
            view={view}
            running={filter ? newest.running : found.running}
            open={setOpened}
            addFilter={addFilter}
          />
          <nav className="row" aria-label="Pages of records">
            <PageButton
              to={asked.order === "newest" ? found.newer : found.older}
              way="previous"
              go={(cursor) => change({ cursor, back: "1" })}
            >
              {asked.order === "newest" ? "Newer" : "Older"}
            </PageButton>
            <PageButton
              to={asked.order === "newest" ? found.older : found.newer}
              way="next"
              go={(cursor) => change({ cursor, back: null })}
            >
              {asked.order === "newest" ? "Older" : "Newer"}
            </PageButton>
            <button
              type="button"
              className="button quiet small"
              onClick={() => (asked.cursor ? change({ cursor: null, back: null }) : found.again())}
            >
              <RotateCw size={13} aria-hidden />
              {asked.cursor ? "First page" : "Refresh"}
            </button>
          </nav>
        </>
      )}
      {page && shown && opened !== null && (
        <RecordDialog
          key={opened}
          place={place}
          name={dataset.name}
          page={page}
          record={shown}
          step={{
            previous: opened > 0 ? () => setOpened(opened - 1) : null,
            next: opened < records.length - 1 ? () => setOpened(opened + 1) : null,
          }}
          onClose={() => setOpened(null)}
          addFilter={addFilter}
        />
      )}
    </div>
  );
}

/** Every partition, though a page of one partition names that one only. */
function allPartitions(dataset: Dataset, page: Page | null) {
  const known = dataset.topic.partitions ?? 0;
  const read = page?.partitions ?? [];
  return read.length >= known
    ? read
    : Array.from({ length: known }, (_, partition) => ({ partition, start: 0, end: 0 }));
}

function status(found: ReturnType<typeof useRecords>, byTime: boolean): string {
  if (found.page === null) return "";
  const parts = [plural(found.records.length, "record")];
  if (byTime) parts.push("You see some rows only, so places and counts are withheld.");
  else if (found.searched) {
    parts.push(`${plural(found.searched.records, "offset")} read, ${count(found.searched.left)} further on.`);
  }
  if (found.running) parts.push("Searching …");
  return parts.join(". ").replaceAll("..", ".");
}

function PageButton({
  to,
  way,
  go,
  children,
}: {
  to: string | null;
  way: "previous" | "next";
  go: (cursor: string) => void;
  children: string;
}) {
  return (
    <button type="button" className="button small" disabled={to === null} onClick={() => to !== null && go(to)}>
      {way === "previous" && <ChevronLeft size={14} aria-hidden />}
      {children}
      {way === "next" && <ChevronRight size={14} aria-hidden />}
    </button>
  );
}

function List({
  page,
  records,
  view,
  running,
  open,
  addFilter,
}: {
  page: Page;
  records: BrowsedRecord[];
  view: View;
  running: boolean;
  open: (index: number) => void;
  addFilter: (filter: string) => void;
}) {
  if (records.length === 0) {
    return running ? (
      <Loading lines={8} label="Reading records" />
    ) : (
      <div className="panel">
        <Empty title="No records">
          <p>
            {page.older || page.newer
              ? "None here that you may see and that fit; there are more on the other pages."
              : "The topic has none that you may see and that fit."}
          </p>
        </Empty>
      </div>
    );
  }
  if (view === "table") {
    const { columns, rows } = tableOf(page, records);
    return (
      <div className="panel flush">
        <ResultGrid
          table={`records ${page.dataset}`}
          columns={columns}
          rows={rows}
          dataset={page.dataset}
          reasons={page.decision.reasons}
          onOpen={open}
        />
      </div>
    );
  }
  return (
    <ol className="record-list" aria-label="Records">
      {records.map((record, i) => (
        <li key={record.offset == null ? i : `${record.partition}:${record.offset}`} className="panel record">
          <div className="spread">
            <span className="row small">
              <button type="button" className="link" onClick={() => open(i)}>
                {placeText(record)}
              </button>
              <time dateTime={record.timestamp ?? ""} title={record.timestamp ?? ""}>
                {exactLocalTime(record.timestamp ?? "")}
              </time>
              {record.key != null && <span className="mono anywhere">{cellText(record.key).slice(0, 80)}</span>}
              <span className="muted">{bytes(page.rawReadable ? record.bytes : record.shownBytes)}</span>
              {record.cut && <span className="badge warn">cut; open it to see all</span>}
            </span>
            <CopyButton text={() => recordText(record, 2)} what="record as JSON" />
          </div>
          {view === "tree" ? (
            <RecordTree page={page} record={record} filter="" addFilter={addFilter} />
          ) : (
            <pre className="record-line">{recordText(record)}</pre>
          )}
        </li>
      ))}
    </ol>
  );
}
