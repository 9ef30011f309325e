import type { CSSProperties } from "react";
import type { Dataset } from "@/api/types";
import { datasetNode } from "@/lib/nodeId";
import { LineageView } from "@/pages/lineage/LineageView";

export default function LineageTab({ dataset }: { dataset: Dataset }) {
  return (
    <div style={{ "--above": "350px" } as CSSProperties}>
      <LineageView root={datasetNode(dataset.namespace, dataset.name)} />
    </div>
  );
}
