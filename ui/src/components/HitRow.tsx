import { Database, Tag } from "lucide-react";
import { Link } from "react-router";
import type { Hit } from "@/api/types";
import { EntityName } from "@/components/EntityBadge";
import { Marked } from "@/components/Marked";
import { links } from "@/lib/links";

/** The page of a thing found. */
export function hitLink(hit: Hit): string {
  const place = hit.cluster ?? hit.namespace;
  return hit.kind === "field" && hit.path ? links.field(place, hit.name, hit.path) : links.dataset(place, hit.name);
}

/** One thing found: a dataset, or a field with the dataset it stands in. */
export function HitRow({ hit }: { hit: Hit }) {
  const place = hit.cluster ?? hit.namespace;
  const field = hit.kind === "field" ? hit.path : undefined;
  const Icon = field ? Tag : Database;
  const entities = hit.entities ?? [];
  const tags = (hit.tags ?? []).filter((tag) => !entities.includes(tag));
  const marks = hit.highlights ?? {};
  const name = <Marked text={hit.name} marked={marks.name?.[0]} />;
  return (
    <li className="hit">
      <Icon size={16} aria-hidden className="muted" />
      <div className="grow">
        <div className="row" style={{ gap: "4px 10px" }}>
          <Link data-hit className="strong anywhere" to={hitLink(hit)}>
            {field ? <Marked text={field} marked={marks.path?.[0]} /> : name}
          </Link>
          <span className="muted small">
            {field ? (
              <>
                field of {place}/{name}
              </>
            ) : (
              `dataset in ${place}`
            )}
          </span>
          {entities.map((entity) => (
            <EntityName key={entity} name={entity} suggested={hit.states?.[entity] === "suggested"} />
          ))}
          {tags.map((tag) => (
            <span key={tag} className="badge">
              {tag}
            </span>
          ))}
        </div>
        {hit.description && (
          <p className="muted small">
            <Marked text={hit.description} marked={marks.description?.[0]} />
          </p>
        )}
      </div>
      {(hit.owners ?? []).length > 0 && <span className="muted small nowrap">{hit.owners?.join(", ")}</span>}
    </li>
  );
}
