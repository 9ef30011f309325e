// The query a request for access was made from, so that its page leads back. Kept in this browser, never sent.
import type { AccessRequest } from "@/api/types";
import { links } from "@/lib/links";
import { sqlTable } from "@/lib/sql";
import { readList, remember } from "@/lib/store";

const KEY = "weir.asked-from";

interface Asked {
  request: string;
  sql: string;
}

/** Keeps the statement that led to a request. */
export function keepQuery(request: string, sql: string): void {
  remember<Asked>(KEY, { request, sql }, (a, b) => a.request === b.request);
}

/** The query page with the statement the request came from, or one that shows its dataset; with the granted purpose. */
export function queryOf(request: Pick<AccessRequest, "id" | "dataset" | "purpose" | "state">): string | null {
  const at = request.dataset.lastIndexOf("/");
  if (at < 0) return null;
  const kept = readList<Asked>(KEY).find((asked) => asked.request === request.id)?.sql;
  const sql = kept ?? `SELECT * FROM ${sqlTable(request.dataset.slice(0, at), request.dataset.slice(at + 1))} LIMIT 20`;
  return links.query(sql, request.state === "approved" ? request.purpose : undefined);
}
