// Pages of records: a search goes on through the topic until a page is full, the topic ends, or it is stopped.
import { useCallback, useEffect, useRef, useState } from "react";
import { ApiError } from "@/api/client";
import { fetchRecords, type RecordsAsked, searches } from "@/api/records";
import type { BrowsedRecord, Records } from "@/api/types";

export interface Found {
  /** The last page that came; its columns and decision are those of all. */
  page: Records | null;
  records: BrowsedRecord[];
  /** Cursors before the first and behind the last record shown. */
  older: string | null;
  newer: string | null;
  /** Offsets that were read, and that are left behind them; null where that is withheld. */
  searched: { records: number; left: number } | null;
  running: boolean;
  error: unknown;
}

const NOTHING: Found = {
  page: null,
  records: [],
  older: null,
  newer: null,
  searched: null,
  running: true,
  error: null,
};

const TRIES = 5;
const WAIT_MS = 3000;

/** A page; while the query engine is starting again it is asked for again. */
async function patiently(ask: () => Promise<Records>, signal: AbortSignal): Promise<Records> {
  for (let n = 1; ; n++) {
    try {
      return await ask();
    } catch (error) {
      const starting = error instanceof ApiError && error.status === 503;
      if (!starting || n === TRIES || signal.aborted) throw error;
      await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    }
  }
}

/** One more page behind what was found so far. */
export function joined(found: Found, page: Records, forward: "older" | "newer", limit: number): Found {
  const first = found.page === null;
  const after = forward === "older" ? page.order === "newest" : page.order === "oldest";
  const records = after ? [...found.records, ...page.records] : [...page.records, ...found.records];
  const searched = page.searched
    ? { records: (found.searched?.records ?? 0) + page.searched.records, left: page.searched.left }
    : null;
  return {
    page,
    records,
    older: forward === "older" || first ? page.older : found.older,
    newer: forward === "newer" || first ? page.newer : found.newer,
    searched,
    running: records.length < limit && page[forward] !== null,
    error: null,
  };
}

export function useRecords(place: string, name: string, asked: RecordsAsked, forward: "older" | "newer") {
  const [found, setFound] = useState<Found>(NOTHING);
  const [turn, setTurn] = useState(0);
  const running = useRef<AbortController | null>(null);
  const question = JSON.stringify([place, name, asked]);

  const stop = useCallback(() => {
    running.current?.abort();
    setFound((f) => ({ ...f, running: false }));
  }, []);

  useEffect(() => {
    const [, , what] = JSON.parse(question) as [string, string, RecordsAsked];
    const mine = new AbortController();
    running.current = mine;
    void turn;
    setFound((f) => ({ ...NOTHING, page: f.page }));
    const read = async () => {
      let so: Found = NOTHING;
      let cursor = what.cursor;
      while (so.running) {
        const at = cursor;
        const page = await patiently(
          () => fetchRecords(place, name, { ...what, cursor: at }, mine.signal),
          mine.signal,
        );
        if (mine.signal.aborted) return;
        so = joined(so, page, forward, what.limit);
        if (!searches(what)) so.running = false;
        setFound(so);
        cursor = page[forward];
      }
    };
    read().catch((error: unknown) => {
      if (!mine.signal.aborted) setFound((f) => ({ ...f, running: false, error }));
    });
    return () => mine.abort();
  }, [question, place, name, forward, turn]);

  return { ...found, stop, again: () => setTurn((n) => n + 1) };
}
