// The glossary as a tree: wider terms first, those below them indented.
import { Link } from "react-router";
import { useGlossary } from "@/api/curation";
import type { GlossaryTerm } from "@/api/types";
import { Answer } from "@/components/Answer";
import { Empty } from "@/components/Empty";
import { PageHead } from "@/components/PageHead";
import { plural } from "@/lib/format";
import { links } from "@/lib/links";
import { useMay } from "@/lib/may";

export default function GlossaryPage() {
  const glossary = useGlossary();
  const { may } = useMay();
  return (
    <div className="page">
      <PageHead title="Glossary" lead="Words of the business, and what carries them.">
        {may("manage") && (
          <Link className="button" to={links.policies("GlossaryTerm", true)}>
            Declare a term
          </Link>
        )}
      </PageHead>
      <Answer of={glossary} lines={4}>
        {(terms) => (
          <div className="panel">
            {terms.length === 0 ? (
              <Empty title="No term is declared">
                <p>Administrators declare terms as YAML, by kind: GlossaryTerm.</p>
              </Empty>
            ) : (
              <Terms of={terms.filter((each) => each.parent === null)} all={terms} />
            )}
          </div>
        )}
      </Answer>
    </div>
  );
}

function Terms({ of, all }: { of: GlossaryTerm[]; all: GlossaryTerm[] }) {
  return (
    <ul className="stack-s">
      {of.map((term) => (
        <li key={term.name} style={{ paddingLeft: term.parent === null ? 0 : 20 }}>
          <div className="row">
            <Link className="strong" to={links.term(term.name)}>
              {term.name}
            </Link>
            {term.tags.map((tag) => (
              <span key={tag} className="badge">
                {tag}
              </span>
            ))}
            <span className="muted small">
              {plural(term.datasets, "dataset")}, {plural(term.fields, "field")}
            </span>
          </div>
          {term.definition && <p className="small anywhere">{term.definition}</p>}
          {term.synonyms.length > 0 && <p className="muted small anywhere">Also: {term.synonyms.join(", ")}</p>}
          {term.children.length > 0 && <Terms of={all.filter((each) => each.parent === term.name)} all={all} />}
        </li>
      ))}
    </ul>
  );
}
