// A push query as it runs: its rows as they come, the newest kept, and how it ended.
import { useCallback, useEffect, useRef, useState } from "react";
import { ApiError } from "@/api/client";
import { follow } from "@/api/query";
import type { QueryColumn } from "@/api/types";
import { exactJson } from "@/lib/exactJson";

/** Rows kept in the page; older ones scroll out, so that a tail of days does not fill the browser. */
export const KEPT = 2000;

export interface Tail {
  state: "idle" | "connecting" | "live" | "ended" | "failed";
  columns: QueryColumn[];
  rows: unknown[][];
  total: number;
  message: string | null;
  error: unknown;
  paused: boolean;
  /** When the decision last changed while it ran. */
  changed: string | null;
  /** What was counted of values that do not fit their column, since it began, as a sentence. */
  unreadable: string | null;
  pause: (paused: boolean) => void;
  start: (sql: string, purpose: string | null) => Promise<void>;
  stop: () => void;
}

export function useTail(): Tail {
  const [state, setState] = useState<Tail["state"]>("idle");
  const [columns, setColumns] = useState<QueryColumn[]>([]);
  const [rows, setRows] = useState<unknown[][]>([]);
  const [total, setTotal] = useState(0);
  const [message, setMessage] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [paused, pause] = useState(false);
  const [changed, setChanged] = useState<string | null>(null);
  const [unreadable, setUnreadable] = useState<string | null>(null);
  const running = useRef<AbortController | null>(null);
  const held = useRef(false);
  held.current = paused;

  const stop = useCallback(() => {
    running.current?.abort();
    running.current = null;
  }, []);
  useEffect(() => stop, [stop]);

  const start = useCallback(
    async (sql: string, purpose: string | null) => {
      stop();
      const mine = new AbortController();
      running.current = mine;
      setState("connecting");
      setColumns([]);
      setRows([]);
      setTotal(0);
      setMessage(null);
      setError(null);
      setChanged(null);
      setUnreadable(null);
      pause(false);
      // Rows are drawn a few times a second, however fast they come.
      let fresh: unknown[][] = [];
      let seen = 0;
      let headed = false;
      // What comes late of one that another took the place of, rows or its end, does not belong to the other.
      const superseded = () => running.current !== null && running.current !== mine;
      const draw = () => {
        if (superseded() || fresh.length === 0 || held.current) return;
        const batch = fresh;
        fresh = [];
        setTotal(seen);
        setRows((kept) => [...batch.reverse(), ...kept].slice(0, KEPT));
      };
      const timer = setInterval(draw, 200);
      try {
        for await (const event of follow(sql, purpose, mine.signal)) {
          if (superseded()) return;
          if (mine.signal.aborted) break;
          setState("live");
          const data: unknown = exactJson(event.data);
          if (event.event === "columns") {
            // Once at the beginning; again when the decision changed. What was shown under the earlier one then goes.
            if (headed) {
              fresh = [];
              setRows([]);
              setChanged(new Date().toISOString());
            }
            headed = true;
            setColumns((data as { columns: QueryColumn[] }).columns);
          } else if (event.event === "unreadable") {
            setUnreadable((data as { text: string }).text);
          } else if (event.event === "rows") {
            const some = (data as { rows: unknown[][] }).rows;
            seen += some.length;
            fresh.push(...some);
            if (fresh.length > KEPT) fresh = fresh.slice(-KEPT);
          } else if (event.event === "end" || event.event === "error") {
            // The API ends a stream only when access was revoked or the engine failed: both need to be seen.
            const { code, message, ...details } = data as { code?: string; message?: string };
            throw new ApiError(403, code ?? "ended", message ?? "The stream ended.", details);
          }
        }
        if (superseded()) return;
        draw();
        setState("ended");
        if (mine.signal.aborted) setMessage("You stopped it.");
      } catch (failure) {
        if (superseded()) return;
        draw();
        if (mine.signal.aborted) {
          setState("ended");
          setMessage("You stopped it.");
        } else {
          setState("failed");
          setError(failure);
        }
      } finally {
        clearInterval(timer);
      }
    },
    [stop],
  );

  return { state, columns, rows, total, message, error, paused, changed, unreadable, pause, start, stop };
}
