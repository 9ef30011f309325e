import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { runQuery } from "@/api/query";
import type { Dataset } from "@/api/types";
import { Empty } from "@/components/Empty";
import { Loading } from "@/components/Loading";
import { ErrorNotice } from "@/components/Notice";
import { ResultGrid } from "@/components/ResultGrid";
import { withoutRepeats } from "@/lib/columns";
import { links } from "@/lib/links";
import { sqlTable } from "@/lib/sql";
import { readText } from "@/lib/window";

const PLACE = ["_timestamp", "_partition", "_offset", "_key"];

/** The newest records as this user may see them: a governed query like any other, decided and audited. */
export function Sample({ dataset }: { dataset: Dataset }) {
  const place = dataset.cluster ?? dataset.namespace;
  // Where a record lies comes first, by name: `*` may leave these columns out, and last they are beyond the right edge.
  const table = sqlTable(place, dataset.name);
  const sql = `SELECT ${PLACE.join(", ")}, * FROM ${table} ORDER BY _timestamp DESC, _partition, _offset DESC LIMIT 50`;
  const rows = useQuery({
    queryKey: ["sample", sql],
    queryFn: ({ signal }) => runQuery({ sql, purpose: null, limit: 50 }, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (rows.isPending) return <Loading lines={8} label="Reading records" />;
  if (rows.isError) {
    return (
      <ErrorNotice error={rows.error} retry={() => void rows.refetch()}>
        <p>
          <Link to={links.ask(dataset.reference)}>Request access</Link> to see records of this dataset.
        </p>
      </ErrorNotice>
    );
  }
  const shown = withoutRepeats(rows.data);
  return (
    <div className="stack-s">
      <p className="muted small">
        {readText(rows.data.window)} The newest come first. You see what your roles and grants allow; each column's head
        shows why.
      </p>
      <div className="panel flush">
        {shown.rows.length === 0 ? (
          <Empty title="No records">
            <p>The topic holds none, or none that you may see.</p>
          </Empty>
        ) : (
          <ResultGrid
            columns={shown.columns}
            rows={shown.rows}
            dataset={dataset.reference}
            reasons={rows.data.decision.reasons}
          />
        )}
      </div>
    </div>
  );
}
