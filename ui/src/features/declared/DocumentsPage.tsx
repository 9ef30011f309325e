// Every declared document, by kind, as YAML: what `weir apply` takes and git keeps.
import { useSearchParams } from "react-router";
import { useOrigins } from "@/api/declared";
import { useClusters } from "@/api/scans";
import { Answer } from "@/components/Answer";
import { Empty } from "@/components/Empty";
import { OriginLine } from "@/features/declared/OriginLine";
import { DeclaredHead, DocumentTools, nameOf, OpenChange, Yaml } from "@/features/policies/ChangeParts";
import { useChange } from "@/features/policies/useChange";
import { PurposeTable } from "@/features/purposes/PurposeTable";
import { firstConnector } from "@/lib/connectors";
import { FIRST } from "@/lib/domains";
import { KINDS } from "@/lib/kinds";
import { useMay } from "@/lib/may";
import { inWords } from "@/lib/policyWords";

export default function DocumentsPage() {
  const [params, setParams] = useSearchParams();
  const kind = KINDS.find((each) => each === params.get("kind")) ?? "Policy";
  return <Documents key={kind} kind={kind} onKind={(chosen) => setParams({ kind: chosen }, { replace: true })} />;
}

function Documents({ kind, onKind }: { kind: string; onKind: (kind: string) => void }) {
  const clusters = useClusters().data;
  const begun =
    kind === "Connector"
      ? firstConnector(clusters?.find((each) => each.declared !== false)?.name)
      : kind === "Domain"
        ? FIRST
        : "";
  const change = useChange(kind, begun);
  const { may } = useMay();
  const origins = useOrigins(kind, may("manage") || may("audit:read"));
  return (
    <div className="page">
      <DeclaredHead
        title="Declared documents"
        lead="What weir apply takes, kind by kind. weir get -o yaml writes the same to files, weir diff compares them with these."
        change={change}
      />
      <OpenChange of={change} kind={kind} />
      <div className="field">
        <label htmlFor="kind">Kind</label>
        <select id="kind" className="select" value={kind} onChange={(event) => onKind(event.target.value)}>
          {KINDS.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </div>
      {kind === "Purpose" && <PurposeTable />}
      <Answer of={change.documents}>
        {(documents) =>
          documents.length === 0 ? (
            <div className="panel">
              <Empty title={`No ${kind} is declared`}>
                <p>
                  {change.form ? "Add one by form" : "Write one as YAML"} above, or:{" "}
                  <code>weir apply -f governance.yaml</code>
                </p>
              </Empty>
            </div>
          ) : (
            <ul className="stack">
              {documents.map((document) => (
                <li key={nameOf(document)} className="panel">
                  <div className="spread">
                    <h2>{nameOf(document)}</h2>
                    <DocumentTools of={document} change={change} />
                  </div>
                  <p>{inWords(document)}</p>
                  {origins.data && <OriginLine of={origins.data.get(nameOf(document))} />}
                  {origins.error && <p className="small">Where it is from is not known: {origins.error.message}</p>}
                  <Yaml of={document} />
                </li>
              ))}
            </ul>
          )
        }
      </Answer>
    </div>
  );
}
