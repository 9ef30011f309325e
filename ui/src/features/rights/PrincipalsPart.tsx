// Who the principals of Kafka are in Weir; suggestions for those that are nobody's.
import { Link } from "react-router";
import { RIGHTS_PAGE, useRightsPrincipals } from "@/api/rights";
import type { RightsPrincipal } from "@/api/types";
import { Answer } from "@/components/Answer";
import { DataTable } from "@/components/DataTable";
import { Notes, Pages } from "@/components/EffectiveTable";
import { Empty } from "@/components/Empty";
import { Notice } from "@/components/Notice";
import { type Change, Principal } from "@/features/rights/parts";
import { plural } from "@/lib/format";
import { links } from "@/lib/links";
import { holderWords, mappingWords } from "@/lib/rights";

export function PrincipalsPart({ offset, set }: { offset: number; set: Change }) {
  const principals = useRightsPrincipals(offset);
  return (
    <div className="stack">
      <Answer of={principals} lines={6}>
        {(data) => (
          <>
            {data.unmapped > 0 && (
              <Notice tone="warn">
                <p>
                  Not mapped to anybody in Weir: {plural(data.unmapped, "principal")}. Declare who they are with
                  documents of <Link to="/policies/documents?kind=Principal">kind Principal</Link>.
                </p>
              </Notice>
            )}
            {data.principals.length === 0 ? (
              <div className="panel">
                <Empty title="No principals">
                  <p>
                    No ACL, super user or document names one. Declare principals with documents of{" "}
                    <Link to="/policies/documents?kind=Principal">kind Principal</Link>.
                  </p>
                </Empty>
              </div>
            ) : (
              <div className="panel flush">
                <DataTable
                  table="principals"
                  label="Principals"
                  rows={data.principals}
                  rowKey={(row) => `${row.cluster} ${row.principal}`}
                  columns={COLUMNS}
                />
              </div>
            )}
            <Pages
              offset={offset}
              total={data.total}
              size={RIGHTS_PAGE}
              onMove={(next) => set({ offset: String(next) })}
            />
            <Notes notes={data.notes} />
          </>
        )}
      </Answer>
    </div>
  );
}

const COLUMNS = [
  {
    id: "principal",
    head: "Principal",
    sort: (row: RightsPrincipal) => row.principal,
    cell: (row: RightsPrincipal) => (
      <>
        <Principal name={row.principal} />
        {row.superUser && <div className="small muted">super user</div>}
      </>
    ),
  },
  {
    id: "cluster",
    head: "Cluster",
    sort: (row: RightsPrincipal) => row.cluster,
    cell: (row: RightsPrincipal) => row.cluster,
  },
  {
    id: "who",
    head: "Who it is",
    sort: (row: RightsPrincipal) => row.who?.name ?? "",
    cell: (row: RightsPrincipal) =>
      row.who ? (
        holderWords(row.who)
      ) : (
        <span className={`badge ${row.mapping === "weir" ? "" : "warn"}`}>{mappingWords(row.mapping)}</span>
      ),
  },
  {
    id: "by",
    head: "By",
    className: "words",
    cell: (row: RightsPrincipal) => (
      <>
        {row.by.join(", ")}
        {row.note && <div className="small muted">{row.note}</div>}
        {row.suggestions.length > 0 && (
          <div className="small">The same name: {row.suggestions.map(holderWords).join(", ")}</div>
        )}
      </>
    ),
  },
  {
    id: "rights",
    head: "Rights",
    cell: (row: RightsPrincipal) => <Link to={links.rights({ show: "rights", principal: row.principal })}>show</Link>,
  },
];
