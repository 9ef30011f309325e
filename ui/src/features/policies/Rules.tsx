// The policies and workflows that touch this dataset.
import { Link } from "react-router";
import { useDeclared } from "@/api/declared";
import type { DatasetDetails, DeclaredDocument } from "@/api/types";
import { Answer } from "@/components/Answer";
import { Empty } from "@/components/Empty";
import { touches } from "@/lib/inForce";
import { links } from "@/lib/links";
import { inWords } from "@/lib/policyWords";

export function Rules({ dataset }: { dataset: DatasetDetails }) {
  const policies = useDeclared("Policy");
  const workflows = useDeclared("Workflow");
  return (
    <div className="stack">
      <p className="muted">
        Reading is denied unless a role or a grant allows it. Of several masks on a field the strictest holds.
        {dataset.cluster && (
          <>
            {" "}
            To see what they come to for you,{" "}
            <Link to={links.dataset(dataset.cluster, dataset.name, "sample")}>look at a sample</Link>.
          </>
        )}
      </p>
      <Answer of={policies}>
        {(list) => (
          <Touching
            documents={list}
            dataset={dataset}
            nothing="No policy names this dataset, its tags or its fields."
          />
        )}
      </Answer>
      <h2>Approvers</h2>
      <Answer of={workflows}>
        {(list) => <Touching documents={list} dataset={dataset} nothing="No workflow matches: the owners decide." />}
      </Answer>
    </div>
  );
}

function Touching({
  documents,
  dataset,
  nothing,
}: {
  documents: DeclaredDocument[];
  dataset: DatasetDetails;
  nothing: string;
}) {
  const found = documents
    .map((document) => ({
      document,
      by: touches(document, dataset.reference, dataset.entities ?? [], dataset.tags),
    }))
    .filter((one) => one.by.length > 0);
  if (found.length === 0) {
    return (
      <div className="panel">
        <Empty title={nothing} />
      </div>
    );
  }
  return (
    <div className="panel flush table-wrap">
      <table className="table stacks">
        <thead>
          <tr>
            <th>Name</th>
            <th>Rule</th>
            <th>Applies by</th>
          </tr>
        </thead>
        <tbody>
          {found.map(({ document, by }) => (
            <tr key={document.metadata.name}>
              <td className="strong">
                <Link to={links.policies(document.kind)}>{document.metadata.name}</Link>
              </td>
              <td>{inWords(document)}</td>
              <td>
                <span className="row" style={{ gap: 4 }}>
                  {by.map((text) => (
                    <span key={text} className="badge">
                      {text}
                    </span>
                  ))}
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
