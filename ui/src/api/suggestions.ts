// The review queue, put together from the datasets that hold personal data: the API lists classifications by dataset.
import { api, v1 } from "@/api/client";
import type { Classification, Dataset } from "@/api/types";

export interface Suggestion {
  place: string;
  name: string;
  classification: Classification;
}

const AT_ONCE = 6;

export async function fetchSuggestions(signal?: AbortSignal): Promise<Suggestion[]> {
  const { datasets } = await api.get<{ datasets: Dataset[] }>(
    "/api/v1/datasets",
    { entity: "PII", limit: 1000 },
    signal,
  );
  const found: Suggestion[][] = datasets.map(() => []);
  let next = 0;
  const worker = async () => {
    while (next < datasets.length) {
      const at = next++;
      const dataset = datasets[at];
      if (!dataset) return;
      const place = dataset.cluster ?? dataset.namespace;
      const all = await api.get<Classification[]>(`${v1("datasets", place, dataset.name)}/classifications`, {}, signal);
      found[at] = all
        .filter((c) => c.state === "suggested")
        .map((classification) => ({ place, name: dataset.name, classification }));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return found.flat().sort((a, b) => b.classification.score - a.classification.score);
}
