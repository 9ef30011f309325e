// Granted, possible, used: a line for each topic and principal.
import { Link } from "react-router";
import { RIGHTS_PAGE, useRights } from "@/api/rights";
import type { RightsEntry } from "@/api/types";
import { Answer } from "@/components/Answer";
import { DataTable } from "@/components/DataTable";
import { Notes, Pages } from "@/components/EffectiveTable";
import { Empty } from "@/components/Empty";
import { When } from "@/components/When";
import { type Change, Clusters, DatasetLink, Filter, type Filters, Principal } from "@/features/rights/parts";
import { links } from "@/lib/links";
import { grantedWords, holderWords, mappingWords, operationWords, readsMore, usedWords } from "@/lib/rights";

export function RightsPart({ filters, set }: { filters: Filters; set: Change }) {
  const rights = useRights(filters);
  const filtered = filters.dataset || filters.principal || filters.user;
  return (
    <div className="stack">
      <form className="row" onSubmit={(event) => event.preventDefault()}>
        <Filter name="dataset" value={filters.dataset} label="Datasets" placeholder="datasets: prod/*" set={set} />
        <Filter name="user" value={filters.user} label="Person" placeholder="person, group or program" set={set} />
        <Filter name="principal" value={filters.principal} label="Principal" placeholder="User:orders-app" set={set} />
      </form>
      <Answer of={rights} lines={8}>
        {(data) => (
          <>
            <Clusters clusters={data.clusters} />
            {data.rights.length === 0 ? (
              <div className="panel">
                <Empty title="No rights">
                  <p>
                    {filtered
                      ? "No principal may do anything there. Remove a filter to see others."
                      : "No principal may do anything with a topic of the catalog. Scan a cluster to see its topics here."}
                  </p>
                </Empty>
              </div>
            ) : (
              <div className="panel flush">
                <DataTable
                  table="rights"
                  label="Rights"
                  rows={data.rights}
                  rowKey={(row) => `${row.dataset} ${row.principal}`}
                  columns={COLUMNS}
                />
              </div>
            )}
            <Pages
              offset={filters.offset}
              total={data.total}
              size={RIGHTS_PAGE}
              onMove={(offset) => set({ offset: String(offset) })}
            />
            {data.topics.map(
              ({ dataset, groups }) =>
                groups.length > 0 && (
                  <p key={dataset} className="small muted">
                    {dataset} is read by groups of no known principal: {groups.join(", ")}.
                  </p>
                ),
            )}
            <Notes notes={data.notes} />
          </>
        )}
      </Answer>
    </div>
  );
}

const COLUMNS = [
  {
    id: "dataset",
    head: "Dataset",
    sort: (row: RightsEntry) => row.dataset,
    cell: (row: RightsEntry) => (
      <>
        <DatasetLink of={row.dataset} />
        {row.personal !== "no" && (
          <div className="small muted">{row.personal === "yes" ? "personal data" : "not scanned"}</div>
        )}
      </>
    ),
  },
  {
    id: "principal",
    head: "Principal",
    sort: (row: RightsEntry) => row.principal,
    cell: (row: RightsEntry) => (
      <>
        <Principal name={row.principal} />
        <div className="small muted">
          {row.superUser && "super user, "}
          {row.who ? (
            <Link to={row.who.kind === "group" ? links.rights({ show: "principals" }) : links.person(row.who.name)}>
              {holderWords(row.who)}
            </Link>
          ) : (
            mappingWords(row.mapping)
          )}
        </div>
      </>
    ),
  },
  {
    id: "granted",
    head: "Granted by Weir",
    sort: (row: RightsEntry) => grantedWords(row),
    cell: (row: RightsEntry) => (
      <>
        {grantedWords(row)}
        {row.granted && row.granted.by.length > 0 && (
          <div className="small muted anywhere">{row.granted.by.join(", ")}</div>
        )}
        {row.granted?.until && (
          <div className="small muted">
            until <When at={row.granted.until} />
          </div>
        )}
      </>
    ),
  },
  {
    id: "possible",
    head: "Possible at the brokers",
    cell: (row: RightsEntry) => (
      <>
        {readsMore(row) && <span className="badge bad">reads more than granted</span>}
        <div className="anywhere">{row.possible.map(operationWords).join(", ") || "nothing"}</div>
      </>
    ),
  },
  {
    id: "used",
    head: "Used",
    sort: (row: RightsEntry) => usedWords(row.used),
    cell: (row: RightsEntry) => (
      <>
        <span className="anywhere">{usedWords(row.used)}</span>
        {row.used.throughWeir && (
          <div className="small muted">
            through Weir <When at={row.used.throughWeir} />
          </div>
        )}
      </>
    ),
  },
];
