// Queries that run now, each with a way to stop it.
import { Square } from "lucide-react";
import { useRunning, useStopQuery } from "@/api/query";
import { Answer } from "@/components/Answer";
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
            <div className="table-wrap">
              <table className="table">
                <thead>
                  <tr>
                    <th>Statement</th>
                    <th>Who</th>
                    <th>Purpose</th>
                    <th>State</th>
                    <th className="number">Rows</th>
                    <th>Since</th>
                    <th>
                      <span className="visually-hidden">Stop</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {list.map((q) => (
                    <tr key={q.id}>
                      <td>
                        <pre className="small">{q.sql}</pre>
                      </td>
                      <td>{q.user}</td>
                      <td>{q.purpose}</td>
                      <td>
                        <span className="badge accent">
                          {q.state}
                          {q.progress ? ` ${percent(q.progress)}` : ""}
                        </span>
                      </td>
                      <td className="number">{count(q.rows)}</td>
                      <td>
                        <When at={q.since} never="–" />
                      </td>
                      <td className="right">
                        <button
                          type="button"
                          className="button small danger"
                          disabled={stop.isPending}
                          onClick={() => stop.mutate(q.id)}
                        >
                          <Square size={12} aria-hidden /> Stop
                        </button>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )}
        </section>
      )}
    </Answer>
  );
}
