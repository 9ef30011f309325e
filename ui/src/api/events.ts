// What happened, as Weir's events tell it.
import { useInfiniteQuery } from "@tanstack/react-query";
import { answer, weir } from "@/api/client";
import type { WeirEvent } from "@/api/types";

export interface EventsAsked {
  /** Types or globs of them, `schema.*`; none means all. */
  types?: readonly string[];
  subject?: string | null;
}

const PAGE = 100;

interface EventsAnswer {
  events: WeirEvent[];
  next: number;
}

/** Newest first. */
export function useEvents({ types = [], subject = null }: EventsAsked, limit = PAGE) {
  return useInfiniteQuery({
    queryKey: ["events", types, subject, limit],
    initialPageParam: limit,
    // The list is read from its newest end; more of it is a longer list.
    queryFn: ({ pageParam, signal }) => {
      const query = { type: types.length > 0 ? [...types] : null, subject, limit: pageParam };
      return answer<EventsAnswer>(weir.GET("/api/v1/events", { params: { query }, signal }));
    },
    getNextPageParam: (last, _all, asked) =>
      last.events.length === asked && asked < 1000 ? Math.min(1000, asked * 4) : null,
    select: (data) => data.pages.at(-1)?.events ?? [],
    refetchInterval: 20_000,
  });
}
