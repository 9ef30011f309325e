// The review queue. Search knows which fields carry a suggestion; the evidence stands with each dataset.
import { fetchClassifications, search } from "@/api/catalog";
import type { Classification, Hit } from "@/api/types";

export interface Suggestion {
  place: string;
  name: string;
  classification: Classification;
}

const AT_ONCE = 6;
const MOST = 1000;

function waits(hit: Hit): boolean {
  return Object.values(hit.states ?? {}).includes("suggested");
}

export async function fetchSuggestions(signal?: AbortSignal): Promise<Suggestion[]> {
  const { hits } = await search({ q: "", kind: "field", entity: "PII" }, MOST, 0, signal);
  const waiting = new Map(
    hits.filter(waits).map((h) => [`${h.namespace}/${h.name}`, { place: h.cluster ?? h.namespace, name: h.name }]),
  );
  const datasets = [...waiting.values()];
  const found: Suggestion[] = [];
  const worker = async () => {
    for (let one = datasets.pop(); one; one = datasets.pop()) {
      const { place, name } = one;
      const all = await fetchClassifications(place, name, signal);
      for (const classification of all)
        if (classification.state === "suggested") found.push({ place, name, classification });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return found.sort((a, b) => b.classification.score - a.classification.score || a.name.localeCompare(b.name));
}
