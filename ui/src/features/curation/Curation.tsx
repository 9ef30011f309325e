// Certification, deprecation, properties and products of a dataset, within what is known about it; and their form.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { useCurate } from "@/api/curation";
import { fetchDeclared } from "@/api/declared";
import type { DatasetDetails, DeclaredDocument } from "@/api/types";
import { Answer } from "@/components/Answer";
import { ErrorNotice } from "@/components/Notice";
import { type Announced, AnnouncementFields } from "@/features/curation/AnnouncementFields";
import { PropertyFields, type PropertyKind, type PropertyValue } from "@/features/curation/PropertyFields";
import { links } from "@/lib/links";

export function Curated({ of }: { of: DatasetDetails }) {
  const { certification, properties, products } = of.curated;
  const values = Object.entries(properties);
  return (
    <>
      {certification && (
        <>
          <dt>Certified</dt>
          <dd className="anywhere">
            <span className="badge ok">certified</span> {certification.by && `by ${certification.by}`}{" "}
            {certification.note}
          </dd>
        </>
      )}
      {products.length > 0 && (
        <>
          <dt>Products</dt>
          <dd className="row">
            {products.map((each) => (
              <Link key={each} to={links.product(each)} className="badge">
                {each}
              </Link>
            ))}
          </dd>
        </>
      )}
      {values.map(([name, value]) => (
        <div key={name} style={{ display: "contents" }}>
          <dt>{name}</dt>
          <dd>
            <Link to={links.search({ q: `property:"${name}=${value}"` })}>{String(value)}</Link>
          </dd>
        </div>
      ))}
    </>
  );
}

interface EditorProps {
  dataset: DatasetDetails;
  onDone: () => void;
}

/** Waits for what is declared: announcements to come, and the properties that there are. */
export function CurationEditor(props: EditorProps) {
  const { dataset } = props;
  const declared = useQuery({
    queryKey: ["declared", "curation", dataset.reference],
    queryFn: async () => {
      const [documents, kinds] = await Promise.all([
        fetchDeclared("Dataset", `${dataset.cluster}/${dataset.name}`),
        fetchDeclared("Property"),
      ]);
      return { announcements: announcedIn(documents[0]), kinds: kinds.filter(ofDatasets).map(kindOf) };
    },
    staleTime: 0,
    gcTime: 0,
  });
  return <Answer of={declared}>{(known) => <Editor {...props} {...known} />}</Answer>;
}

function announcedIn(document: DeclaredDocument | undefined): Announced[] {
  const listed = document?.spec?.announcements;
  return Array.isArray(listed) ? listed : [];
}

function ofDatasets({ spec }: DeclaredDocument): boolean {
  const places = spec?.appliesTo;
  return !Array.isArray(places) || places.includes("dataset");
}

function kindOf({ metadata, spec }: DeclaredDocument): PropertyKind {
  const { description = "", type = "text", values = [] } = (spec ?? {}) as Partial<PropertyKind>;
  return { name: String(metadata.name), description, type, values };
}

function Editor({ dataset, onDone, ...known }: EditorProps & { announcements: Announced[]; kinds: PropertyKind[] }) {
  const { certification, deprecation } = dataset.curated;
  const [certified, setCertified] = useState(certification !== null);
  const [note, setNote] = useState(certification?.note ?? "");
  const [deprecated, setDeprecated] = useState(deprecation !== null);
  const [successor, setSuccessor] = useState(deprecation?.successor ?? "");
  const [date, setDate] = useState(deprecation?.date ?? "");
  const [reason, setReason] = useState(deprecation?.reason ?? "");
  const [announcements, setAnnouncements] = useState(known.announcements);
  const [properties, setProperties] = useState<Record<string, PropertyValue | null>>(dataset.curated.properties);
  const curate = useCurate(dataset.namespace, dataset.name);
  const by = certification?.by ? { by: certification.by } : {};
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        curate.mutate(
          {
            certification: certified ? { ...by, ...(note && { note }) } : null,
            deprecation: deprecated
              ? { ...(reason && { reason }), ...(successor && { successor }), ...(date && { date }) }
              : null,
            ...(announcements !== known.announcements && { announcements }),
            ...(Object.keys(properties).length > 0 && { properties }),
          },
          { onSuccess: onDone },
        );
      }}
    >
      <label className="row">
        <input type="checkbox" checked={certified} onChange={(e) => setCertified(e.target.checked)} /> Certified
      </label>
      {certified && <Text id="certified-for" label="For what" value={note} onChange={setNote} />}
      <label className="row">
        <input type="checkbox" checked={deprecated} onChange={(e) => setDeprecated(e.target.checked)} /> Deprecated
      </label>
      {deprecated && (
        <>
          <Text id="successor" label="Successor" value={successor} onChange={setSuccessor} hint="As prod/orders_v2." />
          <Text id="ends-on" label="Ends on" type="date" value={date} onChange={setDate} />
          <Text id="deprecated-why" label="Reason" value={reason} onChange={setReason} />
        </>
      )}
      <AnnouncementFields of={announcements} onChange={setAnnouncements} />
      <PropertyFields kinds={known.kinds} values={properties} onChange={setProperties} />
      {curate.error && <ErrorNotice error={curate.error} />}
      <div className="row">
        <button type="submit" className="button primary" disabled={curate.isPending}>
          Save
        </button>
        <button type="button" className="button" onClick={onDone}>
          Cancel
        </button>
      </div>
    </form>
  );
}

interface TextProps {
  id: string;
  label: string;
  value: string;
  onChange: (value: string) => void;
  hint?: string;
  type?: "text" | "date";
}

function Text({ id, label, value, onChange, hint, type = "text" }: TextProps) {
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input id={id} className="input" type={type} value={value} onChange={(e) => onChange(e.target.value)} />
      {hint && <span className="hint">{hint}</span>}
    </div>
  );
}
