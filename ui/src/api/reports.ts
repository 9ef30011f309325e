// Where is …, and what is up.
import { useQuery } from "@tanstack/react-query";
import { answer, weir } from "@/api/client";
import type { WhereIs } from "@/api/types";

export interface WhereIsAsked {
  field: string | null;
  entity: string | null;
  term: string | null;
  asOf: string | null;
}

/** The places, and who may see each of them, which takes longer: `report` has the places as soon as they are known. */
export function useWhereIs(query: WhereIsAsked) {
  const enabled = Boolean(query.field || query.entity || query.term);
  const asking = (access: boolean) => ({
    queryKey: ["where-is", query, access],
    // Every report is an entry of the audit: it is asked for once, not each time one comes back to it.
    staleTime: 300_000,
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      answer<WhereIs>(weir.GET("/api/v1/reports/where-is", { params: { query: { ...query, access } }, signal })),
  });
  const places = useQuery({ ...asking(false), enabled });
  const whole = useQuery({ ...asking(true), enabled: enabled && places.isSuccess });
  return { report: whole.data ? whole : places, access: whole };
}

export function whereIsCsv(asked: WhereIsAsked) {
  const query = { ...asked, format: "csv" as const };
  return answer<string>(weir.GET("/api/v1/reports/where-is", { params: { query }, parseAs: "text" }));
}

/** The report as a page of its own, to read and to print. */
export function whereIsHtml(asked: WhereIsAsked) {
  const query = { ...asked, format: "html" as const };
  return answer<string>(weir.GET("/api/v1/reports/where-is", { params: { query }, parseAs: "text" }));
}

export interface Health {
  status: string;
  servers?: Record<string, { up: boolean; problem?: string | null }>;
  lineage?: { lagEvents?: number | null };
}

export function useHealth() {
  return useQuery({
    queryKey: ["health"],
    refetchInterval: 10_000,
    queryFn: async ({ signal }): Promise<Health> => {
      // Not through the client: 503 is an answer here, with the same body.
      const answered = await fetch("/readyz", { signal });
      return (await answered.json()) as Health;
    },
  });
}
