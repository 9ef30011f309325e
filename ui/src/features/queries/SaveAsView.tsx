// A query as a view: what would be declared, what that would change, then applied.
import { useState } from "react";
import { useMe } from "@/api/access";
import { CopyButton } from "@/components/CopyButton";
import { Modal } from "@/components/Modal";
import { Notice } from "@/components/Notice";
import { ApplyBox } from "@/features/policies/ApplyBox";
import { WouldBuild } from "@/features/views/WouldBuild";
import { useMay } from "@/lib/may";
import { useToken } from "@/lib/session";
import { tablesIn } from "@/lib/sql";
import { viewDocument, viewYaml, type Wished } from "@/lib/views";

const FIELDS: { name: keyof Omit<Wished, "sql">; text: string; hint: string }[] = [
  { name: "name", text: "Name", hint: "shop.revenue" },
  { name: "user", text: "Runs as", hint: "whose masks and row filters are in it" },
  { name: "key", text: "Key columns", hint: "empty: the columns of GROUP BY" },
  { name: "topic", text: "Output topic", hint: "empty: a private topic" },
];

export function SaveAsView({ sql, purpose }: { sql: string; purpose: string }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="button" disabled={!sql.trim()} onClick={() => setOpen(true)}>
        Save as view
      </button>
      <Modal open={open} onClose={() => setOpen(false)} title="Save as view" lead="Its answer is kept up to date.">
        <Form sql={sql} purpose={purpose} />
      </Modal>
    </>
  );
}

function Form({ sql, purpose }: { sql: string; purpose: string }) {
  const user = useMe(useToken()).data?.user ?? "";
  const { known, may, who } = useMay();
  const cluster = tablesIn(sql)[0]?.place ?? "";
  const [given, setGiven] = useState<Partial<Wished>>({});
  const wished: Wished = { name: "", user, purpose, key: "", cluster, topic: "", ...given, sql };
  const yaml = viewYaml(wished);
  const ready = wished.name.trim() !== "" && wished.user.trim() !== "";
  return (
    <div className="stack">
      {FIELDS.map(({ name, text, hint }) => (
        <div className="field" key={name}>
          <label htmlFor={`view-${name}`}>{text}</label>
          <input
            id={`view-${name}`}
            className="input"
            placeholder={hint}
            value={wished[name]}
            onChange={(event) => setGiven({ ...given, [name]: event.target.value })}
          />
        </div>
      ))}
      {wished.topic.trim() && (
        <div className="field">
          <label htmlFor="view-cluster">Cluster of the output topic</label>
          <input
            id="view-cluster"
            className="input"
            value={wished.cluster}
            onChange={(event) => setGiven({ ...given, cluster: event.target.value })}
          />
        </div>
      )}
      {known && !may("manage") && (
        <Notice>
          <p>Declaring a view needs the permission to manage; {who("manage")}. Send them this document.</p>
        </Notice>
      )}
      {may("manage") ? (
        ready && (
          <>
            <WouldBuild
              key={`${yaml} diff`}
              name={wished.name.trim()}
              spec={viewDocument(wished).spec as Record<string, unknown>}
            />
            <ApplyBox key={yaml} text={yaml} />
          </>
        )
      ) : (
        <div className="stack-s">
          <pre className="small">{yaml}</pre>
          <div>
            <CopyButton text={yaml} what="document" />
          </div>
        </div>
      )}
    </div>
  );
}
