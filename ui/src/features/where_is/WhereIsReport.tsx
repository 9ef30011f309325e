import { useEffect } from "react";
import { Link } from "react-router";
import type { Access, Place, WhereIs } from "@/api/types";
import { type Column, DataTable } from "@/components/DataTable";
import { Empty } from "@/components/Empty";
import { EntityName } from "@/components/EntityBadge";
import { LongName } from "@/components/LongName";
import { Notice } from "@/components/Notice";
import { accessCounts } from "@/lib/accessCounts";
import { percent, plural } from "@/lib/format";
import { jobTitle } from "@/lib/jobTitle";
import { links, nodeLink } from "@/lib/links";
import { maskWords } from "@/lib/maskWords";
import { parseNodeId } from "@/lib/nodeId";
import { sentence } from "@/lib/subject";

/** `accessFailed`: who may see each place was asked for and is not known. */
export function WhereIsReport({ report, accessFailed = false }: { report: WhereIs; accessFailed?: boolean }) {
  useAllOpenInPrint();
  const nameGap = report.gaps.find((gap) => typeof gap !== "string" && ["tag", "field"].includes(gap.kind));
  const unknown = typeof nameGap === "object" ? nameGap.message : undefined;
  const datasets = new Set(report.places.map((p) => `${p.namespace}/${p.name}`));
  return (
    <div className="stack">
      {report.gaps.length > 0 && (
        <Notice tone="warn">
          <details>
            <summary>
              <strong>{plural(report.gaps.length, "gap")}</strong>: what was not read, and so is not in this report
            </summary>
            <ul className="reasons small">
              {report.gaps.map((gap, i) => (
                <li key={i}>
                  <span className="anywhere">{typeof gap === "string" ? gap : (gap.message ?? sentence(gap))}</span>
                </li>
              ))}
            </ul>
          </details>
        </Notice>
      )}
      {report.places.length === 0 ? (
        <div className="panel">
          <Empty title="No place is known">
            {unknown && <p className="strong">{unknown}</p>}
            <p>
              A scan finds places. <Link to={links.admin("scans")}>Scan a cluster</Link>, or ask for another name.
            </p>
          </Empty>
        </div>
      ) : (
        <>
          <p role="status">
            <strong>{plural(report.places.length, "place")}</strong>{" "}
            <span className="muted">in {plural(datasets.size, "dataset")}</span>
          </p>
          <div className="panel flush">
            <DataTable
              table="data locations"
              label="Places"
              rows={report.places}
              rowKey={(place) => `${place.namespace} ${place.name} ${place.path} ${place.entity ?? ""}`}
              columns={accessFailed ? COLUMNS_WITHOUT_ACCESS : COLUMNS}
            />
          </div>
        </>
      )}
    </div>
  );
}

const clusterOf = (place: Place) => place.reference?.slice(0, -place.name.length - 1) || place.namespace;

const COLUMNS: Column<Place>[] = [
  {
    id: "place",
    head: "Place",
    sort: (place) => `${place.name} ${place.path}`,
    cell: (place) => (
      <>
        <Link to={links.field(clusterOf(place), place.name, place.path)} className="mono anywhere">
          <LongName of={place.path} />
        </Link>
        <div className="small muted">
          <Link to={links.dataset(clusterOf(place), place.name)}>
            <LongName of={`${clusterOf(place)}/${place.name}`} />
          </Link>
        </div>
      </>
    ),
  },
  {
    id: "what",
    head: "What",
    sort: (place) => place.entity,
    cell: (place) => (
      <>
        {place.entity && <EntityName name={place.entity} />}
        {place.state && <div className="small muted">{place.state}</div>}
      </>
    ),
  },
  {
    id: "share",
    head: "Share",
    className: "number",
    sort: (place) => place.share,
    cell: (place) => percent(place.share),
  },
  {
    id: "flows",
    head: "Goes to",
    sort: (place) => place.flows.length,
    cell: (place) => (
      <List
        items={place.flows.map((flow) => {
          const ref = parseNodeId(flow.id);
          return {
            key: flow.id,
            text: ref ? [ref.name, ref.field].filter(Boolean).join(" · ") : flow.id,
            to: nodeLink(flow.id),
            note: flow.columns === "unknown" ? "columns unknown" : flow.raw ? "raw" : "masked",
          };
        })}
      />
    ),
  },
  {
    id: "readers",
    head: "Read by",
    sort: (place) => place.readers.length,
    cell: (place) => (
      <List
        items={place.readers.map((r) => ({
          key: `${r.kind} ${r.name}`,
          text: r.kind === "job" ? jobTitle(r.name) : r.name,
          ...(r.id ? { to: nodeLink(r.id) } : {}),
          note: r.kind,
        }))}
      />
    ),
  },
  {
    id: "seen",
    head: "May be seen by",
    sort: (place) => place.access?.length ?? null,
    cell: (place) => (place.access ? <Seen access={place.access} /> : <span className="muted">being looked up …</span>),
  },
];

const COLUMNS_WITHOUT_ACCESS = COLUMNS.filter((column) => column.id !== "seen");

/** Who may see the place: people counted by how, each by name when unfolded. Paper unfolds it. */
function Seen({ access }: { access: Access[] }) {
  if (access.length === 0) return <span className="muted">nobody</span>;
  const { unmasked, partly, masked, groups, roles } = accessCounts(access);
  return (
    <details>
      <summary>
        {unmasked > 0 && <span className="badge warn">{plural(unmasked, "person", "people")} unmasked</span>}{" "}
        {masked > 0 && <span className="badge mask">{plural(masked, "person", "people")} masked</span>}{" "}
        {partly > 0 && <span className="badge mask">{plural(partly, "person", "people")} partly masked</span>}{" "}
        {unmasked + partly + masked === 0 && (
          <span className="badge">{plural(groups + roles, "group or role", "groups or roles")}</span>
        )}
      </summary>
      <List
        items={access.map((a) => ({
          key: `${a.kind} ${a.subject}`,
          text: a.kind === "user" ? a.subject : `${a.kind} ${a.subject}`,
          note: a.masked ? maskWords(a.mask ?? "masked") : "unmasked",
        }))}
      />
    </details>
  );
}

function List({ items }: { items: { key: string; text: string; note?: string; to?: string }[] }) {
  if (items.length === 0) return <span className="muted">none known</span>;
  return (
    <ul className="small">
      {items.slice(0, 12).map((item) => (
        <li key={item.key} className="anywhere">
          {item.to ? <Link to={item.to}>{item.text}</Link> : item.text}{" "}
          {item.note && (
            <span className={item.note === "raw" || item.note === "unmasked" ? "badge warn" : "badge"}>
              {item.note}
            </span>
          )}
        </li>
      ))}
      {items.length > 12 && <li className="muted">and {items.length - 12} more (see CSV)</li>}
    </ul>
  );
}

/** On paper nothing can be unfolded: what is folded opens for the print and closes after it. */
function useAllOpenInPrint(): void {
  useEffect(() => {
    let opened: HTMLDetailsElement[] = [];
    const open = () => {
      opened = [...document.querySelectorAll<HTMLDetailsElement>("details:not([open])")];
      for (const one of opened) one.open = true;
    };
    const close = () => {
      for (const one of opened) one.open = false;
    };
    window.addEventListener("beforeprint", open);
    window.addEventListener("afterprint", close);
    return () => {
      window.removeEventListener("beforeprint", open);
      window.removeEventListener("afterprint", close);
    };
  }, []);
}
