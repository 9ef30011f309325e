// Declared state as it stands, and a place to try a change before it is applied.
import { useState } from "react";
import { Link, useSearchParams } from "react-router";
import { useDeclared } from "@/api/declared";
import type { DeclaredDocument } from "@/api/types";
import { Answer } from "@/components/Answer";
import { CopyButton } from "@/components/CopyButton";
import { Empty } from "@/components/Empty";
import { PageHead } from "@/components/PageHead";
import { inWords } from "@/lib/policyWords";
import { toYaml } from "@/lib/yaml";
import { ApplyBox } from "@/pages/policies/ApplyBox";

const KINDS = ["Policy", "Role", "Workflow", "User", "Grant", "GlossaryTerm", "Recognizer", "Dataset", "Cluster"];

export default function PoliciesPage() {
  const [params] = useSearchParams();
  const kind = params.get("kind") ?? "Policy";
  const documents = useDeclared(kind);
  const [trying, setTrying] = useState(false);
  return (
    <div className="page">
      <PageHead
        title="Policies"
        lead="What is declared: who may read what, and how much of it. The same documents stand in git."
      >
        <button type="button" className="button" onClick={() => setTrying(!trying)}>
          {trying ? "Close" : "Try or apply a change"}
        </button>
      </PageHead>
      {trying && <ApplyBox />}
      <nav className="tabs" aria-label="Kinds">
        {KINDS.map((k) => (
          <Link key={k} to={`/policies?kind=${k}`} aria-current={k === kind ? "page" : undefined}>
            {k}
          </Link>
        ))}
      </nav>
      <Answer of={documents}>
        {(list) =>
          list.length === 0 ? (
            <div className="panel">
              <Empty title={`No ${kind} is declared`}>
                <p>
                  Write one as YAML and apply it above, or: <code>weir apply -f governance.yaml</code>
                </p>
              </Empty>
            </div>
          ) : (
            <ul className="stack">
              {list.map((document) => (
                <Document key={`${document.kind} ${JSON.stringify(document.metadata)}`} of={document} />
              ))}
            </ul>
          )
        }
      </Answer>
    </div>
  );
}

function Document({ of }: { of: DeclaredDocument }) {
  const text = toYaml(of);
  const words = inWords(of);
  return (
    <li className="panel">
      <div className="spread">
        <h2>{of.metadata.cluster ? `${String(of.metadata.cluster)}/${of.metadata.name}` : of.metadata.name}</h2>
        <CopyButton text={text} what="YAML" />
      </div>
      {words && <p>{words}</p>}
      <details>
        <summary className="small muted">YAML</summary>
        <pre className="small">{text}</pre>
      </details>
    </li>
  );
}
