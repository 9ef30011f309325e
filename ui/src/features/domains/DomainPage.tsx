// One domain: what it has, who runs it, what the reader may do there.
import { Pencil } from "lucide-react";
import { useState } from "react";
import { Link, useParams } from "react-router";
import { useDeclared } from "@/api/declared";
import { useDomain } from "@/api/domains";
import type { OneDomain } from "@/api/types";
import { Answer } from "@/components/Answer";
import { Empty } from "@/components/Empty";
import { PageHead } from "@/components/PageHead";
import { DomainAudit } from "@/features/domains/DomainAudit";
import { DomainDatasets } from "@/features/domains/DomainDatasets";
import { ApplyBox } from "@/features/policies/ApplyBox";
import { firstPolicy, mayWords, peopleText } from "@/lib/domains";
import { links } from "@/lib/links";
import { toYaml } from "@/lib/yaml";

export default function DomainPage() {
  const name = useParams().name ?? "";
  const domain = useDomain(name);
  return (
    <div className="page">
      <Answer of={domain} lines={6} title={name}>
        {(of) => <Shown of={of} />}
      </Answer>
    </div>
  );
}

function Shown({ of }: { of: OneDomain }) {
  const runs = of.manages || of.may.includes("declare");
  const declared = useDeclared("Domain", runs).data?.find((each) => each.metadata.name === of.name);
  const [yaml, setYaml] = useState<string | null>(null);
  const words = mayWords(of.may);
  return (
    <>
      <PageHead title={of.name} lead={of.description || "A domain: datasets with admins and stewards of their own."}>
        {of.may.includes("report:read") && (
          <Link className="button" to={links.whereIs({ entity: "PII" })}>
            Data locations
          </Link>
        )}
        {runs && (
          <>
            <button
              type="button"
              className="button"
              onClick={() => setYaml(firstPolicy(of.name, of.patterns[0] ?? ""))}
            >
              Add a policy
            </button>
            {declared && (
              <button type="button" className="button" onClick={() => setYaml(toYaml(declared))}>
                <Pencil size={13} aria-hidden /> Change the domain
              </button>
            )}
          </>
        )}
      </PageHead>
      {yaml !== null && <ApplyBox key={yaml} text={yaml} />}
      <section className="panel stack" aria-label="About the domain">
        <dl className="facts">
          <dt>Datasets</dt>
          <dd className="mono anywhere">{of.patterns.join(", ")}</dd>
          <dt>Admins</dt>
          <dd>{peopleText(of.admins) || "nobody"}</dd>
          <dt>Stewards</dt>
          <dd>{peopleText(of.stewards) || "nobody"}</dd>
          <dt>You may</dt>
          <dd>{words.length > 0 ? words.join("; ") : "nothing that others may not"}</dd>
        </dl>
      </section>
      <DomainDatasets name={of.name} />
      <Documents of={of} />
      {of.may.includes("audit:read") && <DomainAudit name={of.name} />}
    </>
  );
}

function Documents({ of }: { of: OneDomain }) {
  return (
    <section className="panel stack" aria-label="Policies and visibility">
      <h2>Policies and visibility</h2>
      {of.documents.length === 0 ? (
        <Empty title="None of its own">
          <p>Policies of the installation hold for its datasets, too.</p>
        </Empty>
      ) : (
        <ul className="reasons">
          {of.documents.map((each) => (
            <li key={`${each.kind} ${each.name}`}>
              {each.kind} <Link to={links.policies(each.kind)}>{each.name}</Link>{" "}
              {each.description && <span className="muted">{each.description}</span>}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
