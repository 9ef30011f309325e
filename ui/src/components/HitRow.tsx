import { Database, Tag } from "lucide-react";
import { Link } from "react-router";
import type { Asked } from "@/api/search";
import type { Hit } from "@/api/types";
import { EntityName } from "@/components/EntityBadge";
import { Marked } from "@/components/Marked";
import { Star } from "@/components/Star";
import { WhyRank } from "@/components/WhyRank";
import { plural } from "@/lib/format";
import { links } from "@/lib/links";

/** The page of a thing found. */
export function hitLink(hit: Hit): string {
  const place = hit.cluster ?? hit.namespace;
  return hit.kind === "field" && hit.path ? links.field(place, hit.name, hit.path) : links.dataset(place, hit.name);
}

/** The best of a hit: the field that gave a dataset its place, where one did. */
export function bestOf(hit: Hit): Hit {
  const field = hit.bestFields?.[0];
  return field && field.score >= hit.score ? field : hit;
}

interface Props {
  hit: Hit;
  asked: Asked;
  onOpen: (hit: Hit) => void;
}

/** One thing found: a dataset, with its best fields where those were asked for, or a field and its dataset. */
export function HitRow({ hit, asked, onOpen }: Props) {
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
          <Link data-hit className="strong anywhere" to={hitLink(hit)} onClick={() => onOpen(hit)}>
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
          {hit.certified && <span className="badge ok">certified</span>}
          {hit.deprecated && <span className="badge warn">deprecated</span>}
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
        <BestFields hit={hit} asked={asked} onOpen={onOpen} />
      </div>
      {(hit.owners ?? []).length > 0 && <span className="muted small nowrap">{hit.owners?.join(", ")}</span>}
      <span className="row-nowrap hit-actions">
        {asked.filters.q.trim() !== "" && <WhyRank hit={hit} asked={asked} />}
        {!field && <Star place={place} name={hit.name} />}
      </span>
    </li>
  );
}

/** The fields of a dataset that fit best, and the way to all that fit. A query of nothing has none. */
function BestFields({ hit, asked, onOpen }: Props) {
  const fields = hit.bestFields ?? [];
  const { q } = asked.filters;
  if (fields.length === 0 || q.trim() === "") return null;
  const count = hit.matchingFields ?? fields.length;
  const all = hit.matchingFieldsComplete ?? true;
  return (
    <ul className="best-fields" aria-label={`Best fields of ${hit.name}`}>
      {fields.map((field) => (
        <li key={field.path} className="row" style={{ gap: "4px 10px" }}>
          <Link data-hit className="mono anywhere" to={hitLink(field)} onClick={() => onOpen(field)}>
            <Marked text={field.path ?? ""} marked={field.highlights?.path?.[0]} />
          </Link>
          {(field.entities ?? []).map((entity) => (
            <EntityName key={entity} name={entity} suggested={field.states?.[entity] === "suggested"} />
          ))}
          {field.description && <span className="muted small">{field.description}</span>}
        </li>
      ))}
      {(count > fields.length || !all) && (
        <li>
          <Link
            className="small"
            to={links.search({ ...choices(asked), q, dataset: hit.reference ?? hit.name, kind: "field" })}
          >
            {all ? `Show all ${plural(count, "matching field")}` : "Show all matching fields"} of {hit.name}
          </Link>
        </li>
      )}
    </ul>
  );
}

/** The filters that were chosen beside the words. */
function choices({ filters }: Asked): Record<string, string | null | undefined> {
  const { entity, tag, owner, cluster, format } = filters;
  return { entity, tag, owner, cluster, format };
}
