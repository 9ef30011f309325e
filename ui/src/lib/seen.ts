// Which fields of a dataset the signed-in user sees unmasked already, in every row and for any purpose.
import { useQuery } from "@tanstack/react-query";
import { answer, weir } from "@/api/client";
import type { components } from "@/api/schema";

type AccessDecision = components["schemas"]["Decision"];

const NONE: ReadonlySet<string> = new Set();

/** Paths that a decision shows as they are. With a row filter none counts: a request may open the other rows. */
export function seenPaths(of: Pick<AccessDecision, "effect" | "filters" | "columns">): ReadonlySet<string> {
  if (of.effect === "deny" || of.filters.length > 0) return NONE;
  return new Set(of.columns.filter((c) => c.effect === "allow" && !c.clearWhen).map((c) => c.path));
}

/** Empty while it is not known, and where it cannot be known. */
export function useSeen(dataset: string): ReadonlySet<string> {
  const decision = useQuery({
    queryKey: ["access", "seen", dataset],
    staleTime: 60_000,
    queryFn: ({ signal }) =>
      answer<AccessDecision>(
        weir.POST("/api/v1/decisions", { body: { dataset, action: "read", fields: [] }, signal }) as never,
      ),
  });
  return decision.data ? seenPaths(decision.data) : NONE;
}
