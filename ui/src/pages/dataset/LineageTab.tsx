import type { Dataset } from "@/api/types";
import { datasetNode } from "@/lib/nodeId";
import { LineageView } from "@/pages/lineage/LineageView";

export default function LineageTab({ dataset }: { dataset: Dataset }) {
  return <LineageView root={datasetNode(dataset.namespace, dataset.name)} />;
}
