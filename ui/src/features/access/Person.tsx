// Everything one person sees, and by which rules.
import { useState } from "react";
import { Link, useParams } from "react-router";
import { PAGE, usePersonAccess } from "@/api/effective";
import { Answer } from "@/components/Answer";
import { AsOf } from "@/components/AsOf";
import { EffectiveTable, Notes, Pages } from "@/components/EffectiveTable";
import { Notice } from "@/components/Notice";
import { PageHead } from "@/components/PageHead";
import { links } from "@/lib/links";

export default function PersonPage() {
  const { name = "" } = useParams();
  return <Sheet key={name} name={name} />;
}

function Sheet({ name }: { name: string }) {
  const [asOf, setAsOf] = useState("");
  const [offset, setOffset] = useState(0);
  const access = usePersonAccess(name, asOf, offset);
  return (
    <div className="page">
      <PageHead title={name} lead="What this person may read, and why." />
      <form className="row" onSubmit={(event) => event.preventDefault()}>
        <AsOf
          onChange={(moment) => {
            setOffset(0);
            setAsOf(moment);
          }}
        />
      </form>
      <Answer of={access}>
        {(found) => (
          <div className="stack-s">
            {found.gone && (
              <Notice tone="warn">
                <p>{found.gone}</p>
              </Notice>
            )}
            <p className="muted" role="status">
              Of the datasets, {found.datasets.clear} show unmasked, {found.datasets.partly} partly,{" "}
              {found.datasets.masked} masked, {found.datasets.none} not at all.
            </p>
            <p className="small">
              {found.groups.length > 0 && `Groups: ${found.groups.join(", ")}. `}
              {found.roles.length > 0 &&
                `Roles: ${found.roles.map((role) => `${role.name} (${role.how.join("; ")})`).join(", ")}.`}
            </p>
            <EffectiveTable
              rows={found.entries}
              head="Dataset"
              name={(row) => {
                const [cluster = "", ...topic] = row.dataset.split("/");
                return <Link to={links.dataset(cluster, topic.join("/"), "access")}>{row.dataset}</Link>;
              }}
            />
            <Pages offset={offset} total={found.total} size={PAGE} onMove={setOffset} />
            <Notes notes={found.notes} />
          </div>
        )}
      </Answer>
    </div>
  );
}
