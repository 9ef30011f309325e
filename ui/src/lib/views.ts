// Stream views: states and lag in words, the lag as a line, the rows that follow from events, a view from a query.
import type { Freshness, RowsColumn, ViewSample } from "@/api/types";
import { valuesPath } from "@/lib/chart";
import { exactJson } from "@/lib/exactJson";
import { count } from "@/lib/format";
import type { ServerEvent } from "@/lib/sse";
import { toYaml } from "@/lib/yaml";

const TONES: Record<string, "ok" | "warn" | "bad" | ""> = {
  running: "ok",
  "catching up": "warn",
  starting: "warn",
  restarting: "warn",
  failed: "bad",
  stopped: "bad",
  unknown: "bad",
  paused: "",
};

export const toneOf = (state: string) => TONES[state] ?? "";

interface Lag {
  records: number | null;
  seconds: number | null;
}

/** "up to date", "12 records, 3 s behind"; what one may not know is left out. */
export function lagText(lag: Lag | null | undefined): string {
  if (lag?.records == null) return "–";
  if (lag.records === 0) return "up to date";
  return `${count(lag.records)} record${lag.records === 1 ? "" : "s"}, ${Math.round(lag.seconds ?? 0)} s behind`;
}

/** The points of a line through the samples, in a box of this size; samples without a value part it. */
export function linePath(samples: readonly ViewSample[], of: keyof ViewSample, width: number, height: number): string {
  return valuesPath(
    samples.map((each) => (typeof each[of] === "number" ? each[of] : null)),
    width,
    height,
  );
}

export interface Followed {
  columns: RowsColumn[];
  /** The key as JSON -> the row. */
  rows: ReadonlyMap<string, unknown[]>;
  /** Keys of the rows that changed last, the latest first. */
  changed: readonly string[];
  generation: number | null;
  freshness: Freshness | null;
  /** Whether the snapshot is whole. */
  whole: boolean;
  /** Upserts and deletes since it was opened. */
  changes: number;
  /** Why all rows came once more, in a sentence. */
  reason: string | null;
  /** Whether there are more rows than are kept in the page. */
  more: boolean;
  end: { code: string; message: string; reasons: string[] } | null;
}

export const NOTHING: Followed = {
  columns: [],
  rows: new Map(),
  changed: [],
  generation: null,
  freshness: null,
  whole: false,
  changes: 0,
  reason: null,
  more: false,
  end: null,
};

/** Rows kept in the page. */
export const KEPT_ROWS = 5000;
const MARKED = 50;

interface Snapshot {
  columns?: RowsColumn[];
  key?: string[];
  keys?: unknown[][];
  rows: unknown[][];
  last: boolean;
  reason?: string;
}

/** What somebody has who applies events to what they had. */
export function applied(before: Followed, events: readonly ServerEvent[]): Followed {
  const now = { ...before };
  const rows = new Map(before.rows);
  let changed = [...before.changed];
  let keyAt = keyColumns(before);
  for (const event of events) {
    const data = exactJson(event.data) as Record<string, unknown>;
    now.generation = typeof data.generation === "number" ? data.generation : now.generation;
    now.freshness = (data.freshness as Freshness | undefined) ?? now.freshness;
    if (event.event === "snapshot" || event.event === "resumed") {
      const page = data as unknown as Snapshot;
      if (page.columns) {
        now.columns = page.columns;
        keyAt = (page.key ?? []).map((name) => now.columns.findIndex((column) => column.name === name));
        keys.set(now.columns, keyAt);
      }
      if (event.event === "resumed") continue;
      if (page.columns) {
        rows.clear();
        changed = [];
        now.more = false;
        now.reason = page.reason ?? null;
      }
      page.rows.forEach((row, n) => {
        if (rows.size < KEPT_ROWS) rows.set(JSON.stringify(page.keys?.[n] ?? keyAt.map((at) => row[at])), row);
        else now.more = true;
      });
      now.whole = page.last;
    } else if (event.event === "upsert" || event.event === "delete") {
      const key = JSON.stringify(data.key);
      now.changes += 1;
      changed = changed.filter((each) => each !== key);
      if (event.event === "delete") rows.delete(key);
      else if (rows.has(key) || rows.size < KEPT_ROWS) {
        rows.set(key, data.row as unknown[]);
        changed = [key, ...changed].slice(0, MARKED);
      } else now.more = true;
    } else if (event.event === "end") {
      now.end = data as unknown as Followed["end"];
    }
  }
  return { ...now, rows, changed };
}

/** Which columns are the key, by the columns they belong to. */
const keys = new WeakMap<RowsColumn[], number[]>();
const keyColumns = (of: Followed) => keys.get(of.columns) ?? [];

export interface Wished {
  name: string;
  sql: string;
  user: string;
  purpose: string;
  key: string;
  cluster: string;
  topic: string;
}

const words = (text: string) => text.split(/[,\s]+/).filter(Boolean);

/** The document that declares a query as a view. EMIT CHANGES goes: a view always follows. */
export function viewDocument(wished: Wished): Record<string, unknown> {
  const key = words(wished.key);
  const sql = wished.sql
    .trim()
    .replace(/;\s*$/, "")
    .replace(/\s+EMIT\s+CHANGES\s*$/i, "");
  return {
    apiVersion: "weir/v1",
    kind: "View",
    metadata: { name: wished.name.trim() },
    spec: {
      sql,
      runAs: { user: wished.user.trim(), ...(wished.purpose.trim() ? { purpose: wished.purpose.trim() } : {}) },
      ...(key.length > 0 ? { key } : {}),
      ...(wished.topic.trim() ? { sink: { cluster: wished.cluster.trim(), topic: wished.topic.trim() } } : {}),
    },
  };
}

export const viewYaml = (wished: Wished) => toYaml(viewDocument(wished));
