// Open pages follow what happens: each event makes the answers stale that it touches, and tells the requester.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { weir } from "@/api/client";
import type { WeirEvent } from "@/api/types";
import { isSignedOut, serverEvents } from "@/lib/sse";
import { staleBy } from "@/lib/staleBy";

/** Milliseconds before a stream that broke off is tried once more; longer each time, up to the last. */
const WAITS = [1000, 3000, 10_000, 30_000];

/** Follows the events of Weir while the tab is looked at: hidden tabs would hold a connection each. */
export function useFollow(onEvent: (event: WeirEvent) => void): void {
  const client = useQueryClient();
  useEffect(() => {
    let over = false;
    let tries = 0;
    let after: number | undefined;
    let current = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const take = (event: WeirEvent) => {
      after = Number(event.sequence ?? after);
      for (const key of staleBy(event.type)) void client.invalidateQueries({ queryKey: [key] });
      onEvent(event);
    };
    const follow = async () => {
      current = new AbortController();
      const { signal } = current;
      try {
        const answer = await weir.GET("/api/v1/events/stream", {
          params: { query: { after: after ?? null } },
          parseAs: "stream",
          signal,
        });
        tries = 0;
        for await (const { event, data } of serverEvents(answer.data as ReadableStream<Uint8Array>)) {
          if (event === "event") take(JSON.parse(data) as WeirEvent);
          if (event === "error") {
            if (isSignedOut(data)) return; // the next call shows it
            break; // such as a provider that does not answer for a while
          }
        }
      } catch {
        // Weir went away, or the tab was hidden: it is tried once more below.
      }
      if (!over && !signal.aborted) {
        timer = setTimeout(follow, WAITS[Math.min(tries, WAITS.length - 1)]);
        tries += 1;
      }
    };
    const look = () => {
      current.abort();
      clearTimeout(timer);
      if (!document.hidden) void follow();
    };
    look();
    document.addEventListener("visibilitychange", look);
    return () => {
      over = true;
      current.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [client, onEvent]);
}
