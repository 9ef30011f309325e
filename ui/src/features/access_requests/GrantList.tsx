import { useState } from "react";
import { Link } from "react-router";
import { useGrants, useRevoke } from "@/api/access";
import type { Grant } from "@/api/types";
import { Answer } from "@/components/Answer";
import { DataTable } from "@/components/DataTable";
import { Empty } from "@/components/Empty";
import { LongName } from "@/components/LongName";
import { ReasonDialog } from "@/components/ReasonDialog";
import { When } from "@/components/When";
import { ExtendDialog } from "@/features/access_requests/ExtendDialog";
import { links, referenceLink } from "@/lib/links";
import { sentence } from "@/lib/subject";

/** Grants with their end; whoever may, ends one early. */
export function GrantList({ user }: { user: string | undefined }) {
  const grants = useGrants();
  const revoke = useRevoke();
  const [ending, setEnding] = useState<Grant | null>(null);
  const [longer, setLonger] = useState<Grant | null>(null);
  return (
    <>
      <GrantTable grants={grants} user={user} onEnd={setEnding} onExtend={setLonger} />
      {longer && <ExtendDialog grant={longer} onClose={() => setLonger(null)} />}
      {ending && (
        <ReasonDialog
          title={`Revoke ${ending.name}`}
          lead="It ends now. Queries that use it are stopped."
          action="Revoke"
          danger
          busy={revoke.isPending}
          error={revoke.error}
          onClose={() => setEnding(null)}
          onDo={(reason) => revoke.mutate({ name: ending.name, reason }, { onSuccess: () => setEnding(null) })}
        />
      )}
    </>
  );
}

function GrantTable({
  grants,
  user,
  onEnd,
  onExtend,
}: {
  grants: ReturnType<typeof useGrants>;
  user: string | undefined;
  onEnd: (grant: Grant) => void;
  onExtend: (grant: Grant) => void;
}) {
  return (
    <Answer of={grants}>
      {(list) =>
        list.length === 0 ? (
          <div className="panel">
            <Empty title="No grants">
              <p>
                An approved request creates a grant. <Link to={links.ask("")}>Request access</Link>
              </p>
            </Empty>
          </div>
        ) : (
          <div className="panel flush">
            <DataTable
              table="grants"
              label="Grants"
              rows={[...list].sort(usableFirst)}
              rowKey={(g) => g.name}
              columns={[
                {
                  id: "grant",
                  head: "Grant",
                  className: "nowrap",
                  sort: (g) => g.name,
                  cell: (g) => <LongName of={g.name} />,
                },
                {
                  id: "who",
                  head: "Who",
                  sort: (g) => sentence(g.subject),
                  cell: (g) => (sentence(g.subject) === user ? "you" : sentence(g.subject)),
                },
                { id: "opens", head: "Opens", sort: (g) => g.dataset, cell: (g) => <Opens of={g} /> },
                { id: "purpose", head: "Purpose", sort: (g) => g.purpose, cell: (g) => g.purpose },
                {
                  id: "state",
                  head: "State",
                  sort: (g) => g.status,
                  cell: (g) => (
                    <span className={`badge ${g.status === "approved" ? "ok" : ""}`}>
                      {g.status === "approved" ? "in force" : g.status}
                    </span>
                  ),
                },
                {
                  id: "until",
                  head: "Until",
                  sort: (g) => (g.status === "approved" ? g.validTo : null),
                  cell: (g) =>
                    g.status === "approved" ? <When at={g.validTo} /> : <span className="muted">over</span>,
                },
                {
                  id: "end",
                  head: "Extend or revoke",
                  tool: true,
                  className: "right nowrap",
                  cell: (g) => (
                    <>
                      {g.mayExtend && (
                        <button type="button" className="button small" onClick={() => onExtend(g)}>
                          Extend
                        </button>
                      )}{" "}
                      {g.status === "approved" && g.mayRevoke && (
                        <button type="button" className="button small danger" onClick={() => onEnd(g)}>
                          Revoke
                        </button>
                      )}
                    </>
                  ),
                },
              ]}
            />
          </div>
        )
      }
    </Answer>
  );
}

function Opens({ of: g }: { of: Grant }) {
  return (
    <>
      <Link to={referenceLink(g.dataset)}>{g.dataset}</Link>
      <div className="mono small anywhere">{(g.fields ?? ["*"]).join(", ")}</div>
      {(g.unmask ?? []).length > 0 && (
        <div className="small">unmasked: {same(g.fields, g.unmask) ? "all of these" : g.unmask?.join(", ")}</div>
      )}
      {g.rows && <div className="small">where {g.rows}</div>}
    </>
  );
}

const same = (a: string[] = [], b: string[] = []) => a.length === b.length && a.every((one) => b.includes(one));

/** What still opens something stands above what is over; among equals the one that ends first. */
function usableFirst(a: Grant, b: Grant): number {
  const usable = Number(b.status === "approved") - Number(a.status === "approved");
  return usable || (a.validTo ?? "").localeCompare(b.validTo ?? "");
}
