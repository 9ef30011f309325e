// Who may read this dataset, by what, and until when.
import { Link } from "react-router";
import { useDatasetAccess } from "@/api/catalog";
import { ApiError } from "@/api/client";
import type { Dataset } from "@/api/types";
import { AccessTable } from "@/components/AccessTable";
import { Answer } from "@/components/Answer";
import { Notice } from "@/components/Notice";
import { links } from "@/lib/links";

export function AccessTab({ dataset }: { dataset: Dataset }) {
  const access = useDatasetAccess(dataset.cluster ?? dataset.namespace, dataset.name);
  if (access.error instanceof ApiError && access.error.status === 403) {
    return (
      <Notice tone="warn">
        <p>{access.error.message}</p>
        <p>
          Owners of a dataset see who may read it. You can always{" "}
          <Link to={links.ask(dataset.reference)}>request access</Link>.
        </p>
      </Notice>
    );
  }
  return <Answer of={access}>{({ access: rows }) => <AccessTable rows={rows} />}</Answer>;
}
