// What the parts of the page share: fields to filter by, what is known of each cluster.
import { Link } from "react-router";
import type { RightsCluster } from "@/api/types";
import { LongName } from "@/components/LongName";
import { Notice } from "@/components/Notice";
import { links } from "@/lib/links";

export interface Filters {
  dataset: string;
  principal: string;
  user: string;
  severity: string;
  offset: number;
}
export type Change = (changed: Record<string, string>) => void;

export function Filter({
  name,
  value,
  placeholder,
  label,
  set,
}: {
  name: keyof Filters;
  value: string;
  placeholder: string;
  label: string;
  set: Change;
}) {
  return (
    <input
      key={value}
      className="input"
      style={{ width: 260 }}
      aria-label={label}
      placeholder={placeholder}
      defaultValue={value}
      onKeyDown={(e) => e.key === "Enter" && set({ [name]: e.currentTarget.value.trim() })}
      onBlur={(e) => e.currentTarget.value.trim() !== value && set({ [name]: e.currentTarget.value.trim() })}
    />
  );
}

/** The clusters of which it is not known what the brokers let happen, and those that let everything happen. */
export function Clusters({ clusters }: { clusters: RightsCluster[] }) {
  const open = clusters.filter(({ known }) => known === "no_authorizer").map(({ cluster }) => cluster);
  const closed = clusters.filter(({ known }) => known === "not_allowed").map(({ cluster }) => cluster);
  return (
    <>
      {open.length > 0 && (
        <Notice tone="warn">
          <p>
            The brokers of {open.join(", ")} have no authorizer, so every client reads and writes every topic. Masks
            hold only for those who ask through Weir.
          </p>
        </Notice>
      )}
      {closed.length > 0 && (
        <Notice tone="warn">
          <p>
            The ACLs of {closed.join(", ")} are not known. Allow the user that Weir signs in with to DESCRIBE the
            cluster, and look again.
          </p>
        </Notice>
      )}
    </>
  );
}

export function DatasetLink({ of }: { of: string }) {
  const [cluster = "", ...topic] = of.split("/");
  return (
    <Link to={links.dataset(cluster, topic.join("/"))} className="mono">
      <LongName of={of} />
    </Link>
  );
}

export function Principal({ name }: { name: string }) {
  return <span className="mono anywhere">{name === "User:*" ? "everybody (User:*)" : name}</span>;
}
