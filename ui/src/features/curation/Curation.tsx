// Certification, deprecation, properties and products of a dataset, within what is known about it; and their form.
import { useState } from "react";
import { Link } from "react-router";
import { useCurate } from "@/api/curation";
import type { DatasetDetails } from "@/api/types";
import { ErrorNotice } from "@/components/Notice";
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

export function CurationEditor({ dataset, onDone }: { dataset: DatasetDetails; onDone: () => void }) {
  const { certification, deprecation } = dataset.curated;
  const [certified, setCertified] = useState(certification !== null);
  const [note, setNote] = useState(certification?.note ?? "");
  const [deprecated, setDeprecated] = useState(deprecation !== null);
  const [successor, setSuccessor] = useState(deprecation?.successor ?? "");
  const [date, setDate] = useState(deprecation?.date ?? "");
  const [reason, setReason] = useState(deprecation?.reason ?? "");
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
          <Text id="ends-on" label="Ends on" value={date} onChange={setDate} hint="As 2026-12-31." />
          <Text id="deprecated-why" label="Reason" value={reason} onChange={setReason} />
        </>
      )}
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
}

function Text({ id, label, value, onChange, hint }: TextProps) {
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input id={id} className="input" value={value} onChange={(e) => onChange(e.target.value)} />
      {hint && <span className="hint">{hint}</span>}
    </div>
  );
}
