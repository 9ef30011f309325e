// Queries that run now, each with a way to stop it.
import { Square } from "lucide-react";
import { useRunning, useStopQuery } from "@/api/query";
import type { RunningQuery } from "@/api/types";
import { Answer } from "@/components/Answer";
import { type Column, DataTable } from "@/components/DataTable";
import { Empty } from "@/components/Empty";
import { ErrorNotice } from "@/components/Notice";
import { When } from "@/components/When";
import { count, percent } from "@/lib/format";

export function Running() {
  const running = useRunning();
  const stop = useStopQuery();
  return (
    <Answer of={running}>
      {(list) => (
        <section className="panel flush" aria-label="Running queries">
          {stop.isError && <ErrorNotice error={stop.error} />}
          {list.length === 0 ? (
            <Empty title="No running queries">
              <p>
                Queries and live tails appear here while they run: yours, and everybody's for users who manage Weir.
              </p>
            </Empty>
          ) : (
            <DataTable
              table="running queries"
              label="Running queries"
              rows={list}
              rowKey={(q) => q.id}
              columns={[
                ...COLUMNS,
                {
                  id: "stop",
                  head: "Stop",
                  tool: true,
                  className: "right",
                  cell: (q) => (
                    <button
                      type="button"
                      className="button small danger"
                      disabled={stop.isPending}
                      onClick={() => stop.mutate(q.id)}
                    >
                      <Square size={12} aria-hidden /> Stop
                    </button>
                  ),
                },
              ]}
            />
          )}
        </section>
      )}
    </Answer>
  );
}

const COLUMNS: Column<RunningQuery>[] = [
  { id: "statement", head: "Statement", sort: (q) => q.sql, cell: (q) => <pre className="small">{q.sql}</pre> },
  { id: "who", head: "Who", sort: (q) => q.user, cell: (q) => q.user },
  { id: "purpose", head: "Purpose", sort: (q) => q.purpose, cell: (q) => q.purpose },
  {
    id: "state",
    head: "State",
    sort: (q) => q.state,
    cell: (q) => (
      <span className="badge accent">
        {q.state}
        {q.progress ? ` ${percent(q.progress)}` : ""}
      </span>
    ),
  },
  { id: "rows", head: "Rows", className: "number", sort: (q) => q.rows, cell: (q) => count(q.rows) },
  { id: "since", head: "Since", sort: (q) => q.since, cell: (q) => <When at={q.since} never="–" /> },
];
