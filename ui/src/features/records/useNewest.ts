// The records that a filter is typed over: as many of the next ones as the page keeps, read while somebody types.
import { useEffect, useState } from "react";
import { fetchRecords, type RecordsAsked } from "@/api/records";
import type { BrowsedRecord, Records } from "@/api/types";
import { recordText } from "@/lib/recordText";

export const NEWEST = 10_000;
const PAGE = 500;

export interface Newest {
  page: Records | null;
  records: BrowsedRecord[];
  running: boolean;
  error: unknown;
}

const NOTHING: Newest = { page: null, records: [], running: true, error: null };

/** One more page of them; it ends with the topic, or when there are enough. */
export function grown(so: Newest, page: Records, forward: "older" | "newer"): Newest {
  const records = [...so.records, ...page.records].slice(0, NEWEST);
  return { page, records, running: records.length < NEWEST && page[forward] !== null, error: null };
}

export function useNewest(
  place: string,
  name: string,
  asked: RecordsAsked,
  forward: "older" | "newer",
  wanted: boolean,
) {
  const [newest, setNewest] = useState<Newest>(NOTHING);
  const question = JSON.stringify([place, name, asked]);
  useEffect(() => {
    if (!wanted) return;
    const [, , what] = JSON.parse(question) as [string, string, RecordsAsked];
    const mine = new AbortController();
    setNewest(NOTHING);
    const read = async () => {
      let so = NOTHING;
      let cursor = what.cursor;
      while (so.running) {
        const page = await fetchRecords(place, name, { ...what, cursor, limit: PAGE }, mine.signal);
        if (mine.signal.aborted) return;
        so = grown(so, page, forward);
        setNewest(so);
        cursor = page[forward];
      }
    };
    read().catch((error: unknown) => {
      if (!mine.signal.aborted) setNewest((so) => ({ ...so, running: false, error }));
    });
    return () => mine.abort();
  }, [question, place, name, forward, wanted]);
  return newest;
}

const texts = new WeakMap<BrowsedRecord, string>();

/** Whether a record as it is shown has the text; upper and lower case are one. */
export function shows(record: BrowsedRecord, text: string): boolean {
  let known = texts.get(record);
  if (known === undefined) {
    known = recordText(record).toLowerCase();
    texts.set(record, known);
  }
  return known.includes(text.toLowerCase());
}
