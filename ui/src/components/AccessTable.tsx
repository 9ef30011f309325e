import { Link } from "react-router";
import type { Access } from "@/api/types";
import { type Column, DataTable } from "@/components/DataTable";
import { Empty } from "@/components/Empty";
import { When } from "@/components/When";
import { accessCounts, countsText } from "@/lib/accessCounts";
import { links } from "@/lib/links";
import { maskWords } from "@/lib/maskWords";

/** Who may read something, by what, how it is shown to them, and until when: each way in with its own end and purpose. */
export function AccessTable({ rows }: { rows: Access[] }) {
  if (rows.length === 0) {
    return (
      <div className="panel">
        <Empty title="Nobody may read this">
          <p>No role and no grant opens it. Reading is denied unless one does.</p>
        </Empty>
      </div>
    );
  }
  return (
    <div className="stack-s">
      <p className="muted" role="status">
        {countsText(accessCounts(rows))}
      </p>
      <div className="panel flush">
        <DataTable
          table="access"
          label="Who may read this"
          columns={COLUMNS}
          rows={rows.flatMap(waysOf)}
          rowKey={({ row, way }) => `${row.kind} ${row.subject} ${row.purpose ?? ""} ${row.via.join()} ${way.by}`}
        />
      </div>
    </div>
  );
}

type Way = NonNullable<Access["ways"]>[number];

/** A line for each way in: each has its own end and purpose. */
function waysOf(row: Access): { row: Access; way: Way }[] {
  const ways =
    row.ways ?? row.via.map((by) => ({ by, until: null, purpose: row.purpose, legalBasis: null, retention: null }));
  return ways.map((way) => ({ row, way: way as Way }));
}

const COLUMNS: Column<{ row: Access; way: Way }>[] = [
  {
    id: "who",
    head: "Who",
    sort: ({ row }) => row.subject,
    cell: ({ row }) => (
      <>
        <span className="strong anywhere">{row.subject}</span>{" "}
        {row.kind !== "user" && <span className="badge">{row.kind}</span>}
      </>
    ),
  },
  { id: "shown", head: "Shown", cell: ({ row }) => <Shown of={row} /> },
  {
    id: "by",
    head: "By",
    className: "anywhere",
    sort: ({ way }) => way.by,
    cell: ({ way }) => (way.by.startsWith("grant ") ? <Link to={links.requests("grants")}>{way.by}</Link> : way.by),
  },
  {
    id: "purpose",
    head: "Purpose",
    className: "anywhere",
    sort: ({ row, way }) => way.purpose ?? row.purpose,
    cell: ({ row, way }) => (
      <>
        {way.purpose ?? row.purpose ?? <span className="muted">any</span>}
        {(way.legalBasis || way.retention) && (
          <div className="muted small">
            {[way.legalBasis?.replaceAll("-", " "), way.retention && `kept for ${way.retention}`]
              .filter(Boolean)
              .join(", ")}
          </div>
        )}
      </>
    ),
  },
  {
    id: "until",
    head: "Until",
    sort: ({ way }) => way.until,
    cell: ({ way }) => <When at={way.until} never="no end" />,
  },
];

/** Everything masked, some of it, or nothing. */
function Shown({ of }: { of: Access }) {
  const words = of.mask ? maskWords(of.mask) : "masked";
  if (of.masked)
    return (
      <span className="badge mask" title={of.mask ?? undefined}>
        {words}
      </span>
    );
  if (of.mask)
    return (
      <span className="badge mask" title={of.mask}>
        partly: {words}
      </span>
    );
  return <span className="badge warn">unmasked</span>;
}
