// One field beside the tree: what it holds, personal data with evidence, where to go from here.
import { Link } from "react-router";
import type { Classification, DatasetDetails, Field } from "@/api/types";
import { AskLink } from "@/components/AskLink";
import { CopyButton } from "@/components/CopyButton";
import { Described } from "@/components/Described";
import { EntityBadge } from "@/components/EntityBadge";
import { FieldReview } from "@/features/detections/FieldReview";
import { entityWords } from "@/lib/entityWords";
import { count, percent } from "@/lib/format";
import { links } from "@/lib/links";
import { fieldNode } from "@/lib/nodeId";
import { lastName } from "@/lib/paths";

export function FieldPanel({
  dataset,
  path,
  profile,
  version,
  found,
}: {
  dataset: DatasetDetails;
  path: string | null;
  profile: Field | null;
  version: number;
  found: Classification[];
}) {
  const place = dataset.cluster ?? dataset.namespace;
  if (!path) {
    return (
      <aside className="panel muted" aria-label="Field">
        Choose a field to see what it holds, why it counts as personal data, and where it goes.
      </aside>
    );
  }
  const unscanned = dataset.scan.unscanned?.includes(path);
  const note = dataset.notes?.find((n) => n.path === path);
  return (
    <aside className="panel stack field-panel" aria-labelledby="field-name">
      <div className="spread" style={{ flexWrap: "nowrap" }}>
        <h2 id="field-name" className="mono anywhere">
          {path}
        </h2>
        <CopyButton text={path} what="path" />
      </div>
      {note?.description && <Described text={note.description} />}
      {unscanned && <span className="badge warn">No detector could finish this field: it counts as personal data</span>}
      {profile ? (
        <Profile profile={profile} />
      ) : (
        <p className="muted">Version {version} has no such field: it was seen in no record, or is written otherwise.</p>
      )}
      {found.map((c) => (
        <div key={c.entity} className="stack-s">
          <EntityBadge of={c} />
          <FieldReview place={place} name={dataset.name} found={c} may={dataset.may.review} />
        </div>
      ))}
      <ul className="stack-s">
        <li>
          <Link to={links.fields({ name: lastName(path) })}>Data locations of “{lastName(path)}”</Link>
        </li>
        {found
          .filter((c) => c.state !== "rejected")
          .map((c) => (
            <li key={c.entity}>
              <Link to={links.fields({ entity: c.entity })}>Data locations of {entityWords(c.entity)}</Link>
            </li>
          ))}
        <li>
          <Link to={links.lineage(fieldNode(dataset.namespace, dataset.name, path), { level: "column" })}>
            Where it comes from and goes to
          </Link>
        </li>
        <li>
          <AskLink dataset={dataset.reference} fields={[path]}>
            Request to see it unmasked
          </AskLink>
        </li>
      </ul>
    </aside>
  );
}

function Profile({ profile }: { profile: Field }) {
  const types = Object.entries(profile.types).sort((a, b) => b[1] - a[1]);
  const withheld = profile.withheld ?? [];
  const details = Object.entries(profile.details ?? {}).filter(([, v]) => v !== null && typeof v !== "object");
  return (
    <dl className="facts">
      <dt>Types</dt>
      <dd className="stack-s" style={{ gap: 3 }}>
        {types.map(([name, share]) => (
          <span key={name} className="row-nowrap">
            <span className="bar" aria-hidden>
              <i style={{ width: `${share * 100}%` }} />
            </span>
            {name} <span className="muted small">{percent(share)}</span>
          </span>
        ))}
      </dd>
      {withheld.length > 0 && (
        <>
          <dt>Withheld</dt>
          <dd>{withheld.map((name) => name.replaceAll("_", " ")).join(", ")}: you may not read it unmasked</dd>
        </>
      )}
      {withheld.includes("presence") ? null : profile.presence === null ? (
        <>
          <dt>Known from</dt>
          <dd>lineage only</dd>
        </>
      ) : (
        <>
          <dt>Present in</dt>
          <dd>{percent(profile.presence)}</dd>
          {profile.nullShare !== null && (
            <>
              <dt>Null</dt>
              <dd>{percent(profile.nullShare)}</dd>
            </>
          )}
        </>
      )}
      {profile.count != null && (
        <>
          <dt>Seen</dt>
          <dd>{count(profile.count)} times</dd>
        </>
      )}
      {profile.distinct != null && (
        <>
          <dt>Distinct</dt>
          <dd>about {count(profile.distinct)}</dd>
        </>
      )}
      {profile.lengths && (
        <>
          <dt>Length</dt>
          <dd>
            {profile.lengths[0]} to {profile.lengths[1]}
          </dd>
        </>
      )}
      {details.map(([name, value]) => (
        <Detail key={name} name={name} value={value} />
      ))}
    </dl>
  );
}

function Detail({ name, value }: { name: string; value: unknown }) {
  return (
    <>
      <dt>{name.replaceAll("_", " ")}</dt>
      <dd>{typeof value === "number" ? value.toLocaleString("en") : String(value)}</dd>
    </>
  );
}
