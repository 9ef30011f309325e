import type { CSSProperties } from "react";
import type { Dataset } from "@/api/types";
import { LineageView } from "@/features/lineage/LineageView";
import { datasetNode } from "@/lib/nodeId";

export default function LineageTab({ dataset }: { dataset: Dataset }) {
  return (
    <div style={{ "--above": "350px" } as CSSProperties}>
      <LineageView root={datasetNode(dataset.namespace, dataset.name)} />
    </div>
  );
}
