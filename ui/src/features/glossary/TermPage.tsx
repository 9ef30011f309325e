// One term: what it means, and the datasets and fields that carry it.
import { Link, useParams } from "react-router";
import { useTerm } from "@/api/curation";
import { Answer } from "@/components/Answer";
import { PageHead } from "@/components/PageHead";
import { links, referenceLink } from "@/lib/links";

export default function TermPage() {
  const { name = "" } = useParams();
  const term = useTerm(name);
  return (
    <div className="page">
      <PageHead
        title={name}
        lead={term.data?.definition}
        crumbs={
          <>
            <Link to={links.glossary}>Glossary</Link>
            {(term.data?.path ?? []).map((each) => (
              <span key={each}>
                / <Link to={links.term(each)}>{each}</Link>
              </span>
            ))}
          </>
        }
      />
      <Answer of={term} lines={4}>
        {(shown) => (
          <div className="panel stack">
            <dl className="facts">
              <dt>Synonyms</dt>
              <dd className="anywhere">{shown.synonyms.join(", ") || "none"}</dd>
              <dt>Tags</dt>
              <dd className="row">
                {shown.tags.length === 0 && "none"}
                {shown.tags.map((tag) => (
                  <Link key={tag} to={links.search({ tag })} className="badge">
                    {tag}
                  </Link>
                ))}
              </dd>
              <dt>Narrower terms</dt>
              <dd className="row">
                {shown.children.length === 0 && "none"}
                {shown.children.map((each) => (
                  <Link key={each} to={links.term(each)} className="badge">
                    {each}
                  </Link>
                ))}
              </dd>
            </dl>
            <h2>Carried by</h2>
            {shown.datasets + shown.fields === 0 && <p className="muted">Nothing carries this term.</p>}
            <ul className="stack-s">
              {shown.carryingDatasets.map((each) => (
                <li key={each}>
                  <Link to={referenceLink(each)}>{each}</Link>
                </li>
              ))}
              {shown.carryingFields.map((each) => (
                <li key={`${each.dataset} ${each.path}`} className="anywhere">
                  <Link to={referenceLink(each.dataset)}>{each.dataset}</Link> <span className="mono">{each.path}</span>
                </li>
              ))}
            </ul>
            <p>
              <Link to={links.whereIs({ term: name })}>Data locations of this term</Link>
            </p>
          </div>
        )}
      </Answer>
    </div>
  );
}
