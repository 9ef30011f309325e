// Datasets that belong with this one, each with the reasons.
import { Link } from "react-router";
import { useRelated } from "@/api/search";
import { Answer } from "@/components/Answer";
import { Notice } from "@/components/Notice";
import { links } from "@/lib/links";
import { relatedText } from "@/lib/relatedReason";

const MISSING: Record<string, string> = {
  shared_key: "shared keys",
  read_together: "queries that read both",
  lineage: "lineage",
};

export function RelatedDatasets({ place, name }: { place: string; name: string }) {
  const related = useRelated(place, name);
  return (
    <section className="panel" aria-labelledby="related">
      <h2 id="related">Related datasets</h2>
      <Answer of={related} lines={3}>
        {({ related: found, missing }) => (
          <>
            {missing.map(({ kind, message }) => (
              <Notice key={kind} tone="warn">
                Without {MISSING[kind] ?? kind}: {message}
              </Notice>
            ))}
            {found.length === 0 ? (
              <p className="muted">None: no key is shared, no query reads another with it, none is near in lineage.</p>
            ) : (
              <ul className="stack-s">
                {found.map((one) => (
                  <li key={one.dataset}>
                    <Link to={links.dataset(one.cluster ?? one.namespace, one.name)} className="strong anywhere">
                      {one.name}
                    </Link>{" "}
                    <span className="muted small anywhere">{one.reasons.map(relatedText).join("; ")}</span>
                  </li>
                ))}
              </ul>
            )}
          </>
        )}
      </Answer>
    </section>
  );
}
