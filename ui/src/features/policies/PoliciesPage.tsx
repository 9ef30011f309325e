// Policies in one table: masks, access rules and row filters; what, where, for whom, and how far each reaches.
import { Eye } from "lucide-react";
import { useState } from "react";
import { Navigate, useSearchParams } from "react-router";
import { type PolicyReach, usePolicyReach } from "@/api/declared";
import { Answer } from "@/components/Answer";
import { type Column, DataTable } from "@/components/DataTable";
import { Empty } from "@/components/Empty";
import { Segments } from "@/components/Segments";
import { DeclaredHead, DocumentTools, OpenChange, Yaml } from "@/features/policies/ChangeParts";
import { type Mask, MaskPreview } from "@/features/policies/MaskPreview";
import { type Change, useChange } from "@/features/policies/useChange";
import { count } from "@/lib/format";
import { links } from "@/lib/links";
import { useMay } from "@/lib/may";
import { filtered, type PolicyRow, type PolicyType, policyRow, TYPES } from "@/lib/policyTable";

export default function PoliciesPage() {
  const [params] = useSearchParams();
  const kind = params.get("kind") ?? "Policy";
  if (kind === "Policy") return <Policies />;
  // Addresses from before the pages were split.
  const rest = new URLSearchParams(params);
  rest.delete("kind");
  const to = links.policies(kind);
  return <Navigate replace to={rest.size > 0 ? `${to}&${rest}` : to} />;
}

function Policies() {
  const change = useChange("Policy");
  const [mask, setMask] = useState<Mask | null>(null);
  const tryMask = (of: Mask) => {
    setMask(of);
    window.scrollTo({ top: 0 });
  };
  return (
    <div className="page wide">
      <DeclaredHead
        title="Policies"
        lead="Who may read what, and how much of it. Keep the same documents in git."
        change={change}
      >
        <button type="button" className="button" onClick={() => setMask(mask === null ? {} : null)}>
          {mask === null ? "Try a mask" : "Close the mask"}
        </button>
      </DeclaredHead>
      {mask !== null && <MaskPreview key={JSON.stringify(mask)} start={mask} />}
      <OpenChange of={change} kind="Policy" />
      <Answer of={change.documents}>
        {(documents) =>
          documents.length === 0 ? (
            <div className="panel">
              <Empty title="No policy is declared">
                <p>
                  Add one by form above, or: <code>weir apply -f governance.yaml</code>
                </p>
              </Empty>
            </div>
          ) : (
            <PolicyTable rows={documents.map(policyRow)} change={change} onMask={tryMask} />
          )
        }
      </Answer>
    </div>
  );
}

function PolicyTable({ rows, change, onMask }: { rows: PolicyRow[]; change: Change; onMask: (mask: Mask) => void }) {
  const { may } = useMay();
  const [params, setParams] = useSearchParams();
  const text = params.get("filter") ?? "";
  const type = (params.get("type") ?? "all") as PolicyType | "all";
  const set = (name: string, value: string) => {
    const next = new URLSearchParams(params);
    value ? next.set(name, value) : next.delete(name);
    setParams(next, { replace: true });
  };
  const reach = usePolicyReach(may("manage") || may("report:read") || may("audit:read"));
  const shown = filtered(rows, text, type);
  return (
    <>
      <div className="row">
        <input
          className="input"
          style={{ width: 280 }}
          aria-label="Filter policies"
          placeholder="Name, tag, dataset, person"
          value={text}
          onChange={(event) => set("filter", event.target.value)}
        />
        <Segments
          label="Which policies"
          value={type}
          onChange={(value) => set("type", value === "all" ? "" : value)}
          options={[
            { value: "all", text: `all ${rows.length}` },
            ...Object.entries(TYPES).map(([value, word]) => ({
              value: value as PolicyType,
              text: `${word} ${rows.filter((row) => row.type === value).length}`,
            })),
          ]}
        />
      </div>
      {reach.isError && (
        <p className="muted small">How far policies reach could not be counted: {reach.error.message}</p>
      )}
      {reach.data?.notes.map((note) => (
        <p key={note} className="muted small">
          {note}
        </p>
      ))}
      {shown.length === 0 ? (
        <div className="panel">
          <Empty title="No policy matches">
            <p>Use fewer words or another choice above.</p>
          </Empty>
        </div>
      ) : (
        <div className="panel flush">
          <DataTable
            table="policies"
            label="Policies"
            rows={shown}
            rowKey={(row) => row.name}
            columns={columnsOf(change, onMask, new Map(reach.data?.policies.map((each) => [each.name, each])))}
          />
        </div>
      )}
    </>
  );
}

/** Columns of figures are there only once somebody may know them. */
function columnsOf(
  change: Change,
  onMask: (mask: Mask) => void,
  reach: ReadonlyMap<string, PolicyReach>,
): (Column<PolicyRow> | false)[] {
  const figure = (id: string, head: string, of: (each: PolicyReach) => number | null) => ({
    id,
    head,
    className: "number",
    sort: (row: PolicyRow) => {
      const each = reach.get(row.name);
      return (each && of(each)) ?? -1;
    },
    cell: (row: PolicyRow) => {
      const each = reach.get(row.name);
      return each ? count(of(each)) : "–";
    },
  });
  const withQueries = [...reach.values()].some((each) => each.queries !== null);
  return [
    {
      id: "policy",
      head: "Policy",
      className: "anywhere",
      sort: (row) => row.name,
      cell: (row) => (
        <>
          <span className="strong">{row.name}</span>{" "}
          <span className="badge">{TYPES[row.type as PolicyType] ?? row.type}</span>
          {typeof row.document.spec.description === "string" && (
            <div className="small muted">{row.document.spec.description}</div>
          )}
          <Yaml of={row.document} />
        </>
      ),
    },
    { id: "what", head: "What", className: "few-words", sort: (row) => row.what, cell: (row) => row.what },
    { id: "where", head: "Where", className: "few-words", sort: (row) => row.where, cell: (row) => row.where },
    { id: "whom", head: "For whom", className: "anywhere", sort: (row) => row.whom, cell: (row) => row.whom },
    reach.size > 0 && figure("fields", "Fields", (each) => each.fields),
    reach.size > 0 && figure("datasets", "Datasets", (each) => each.datasets),
    reach.size > 0 && figure("people", "People", (each) => each.people),
    withQueries && figure("queries", "Hits this week", (each) => each.queries),
    {
      id: "tools",
      head: "Change",
      tool: true,
      cell: (row) => (
        <span className="row">
          {row.type === "mask" && (
            <button
              type="button"
              className="button quiet small"
              aria-label="Try the mask"
              onClick={() => onMask((row.document.spec.mask ?? {}) as Mask)}
            >
              <Eye size={13} aria-hidden /> Try
            </button>
          )}
          <DocumentTools of={row.document} change={change} />
        </span>
      ),
    },
  ];
}
