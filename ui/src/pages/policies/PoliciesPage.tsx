// Declared state as it stands, and a place to try a change before it is applied.
import { Pencil } from "lucide-react";
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
  const [trying, setTrying] = useState<string | null>(null);
  const change = (yaml: string) => {
    setTrying(yaml);
    window.scrollTo({ top: 0 });
  };
  return (
    <div className="page">
      <PageHead
        title="Policies"
        lead="What is declared: who may read what, and how much of it. The same documents stand in git."
      >
        <button type="button" className="button" onClick={() => setTrying(trying === null ? "" : null)}>
          {trying === null ? "Try or apply a change" : "Close"}
        </button>
      </PageHead>
      {trying !== null && <ApplyBox key={trying} text={trying} />}
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
                <Document
                  key={`${document.kind} ${JSON.stringify(document.metadata)}`}
                  of={document}
                  onChange={change}
                />
              ))}
            </ul>
          )
        }
      </Answer>
    </div>
  );
}

function Document({ of, onChange }: { of: DeclaredDocument; onChange: (yaml: string) => void }) {
  const text = toYaml(of);
  const words = inWords(of);
  return (
    <li className="panel">
      <div className="spread">
        <h2>{of.metadata.cluster ? `${String(of.metadata.cluster)}/${of.metadata.name}` : of.metadata.name}</h2>
        <span className="row">
          <button type="button" className="button quiet small" onClick={() => onChange(text)}>
            <Pencil size={13} aria-hidden /> Change
          </button>
          <CopyButton text={text} what="YAML" />
        </span>
      </div>
      {words && <p>{words}</p>}
      <details>
        <summary className="small muted">YAML</summary>
        <pre className="small">{text}</pre>
      </details>
    </li>
  );
}
