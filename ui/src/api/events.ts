// What happened, as Weir's events tell it.
import { useInfiniteQuery } from "@tanstack/react-query";
import { ask } from "@/api/client";
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
    queryFn: async ({ pageParam, signal }) =>
      (await (
        await ask("GET", "/api/v1/events", { query: { type: types, subject, limit: pageParam }, signal })
      ).json()) as EventsAnswer,
    getNextPageParam: (last, _all, asked) =>
      last.events.length === asked && asked < 1000 ? Math.min(1000, asked * 4) : null,
    select: (data) => data.pages.at(-1)?.events ?? [],
    refetchInterval: 20_000,
  });
}
