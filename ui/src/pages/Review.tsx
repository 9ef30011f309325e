// Every suggestion of personal data that nobody has judged yet, over all datasets.
import { useQuery } from "@tanstack/react-query";
import { ClipboardCheck } from "lucide-react";
import { useState } from "react";
import { fetchSuggestions } from "@/api/suggestions";
import { Answer } from "@/components/Answer";
import { ClassificationTable } from "@/components/ClassificationTable";
import { Empty } from "@/components/Empty";
import { Facet } from "@/components/Facets";
import { PageHead } from "@/components/PageHead";
import { plural } from "@/lib/format";

export default function ReviewPage() {
  const found = useQuery({ queryKey: ["suggestions"], queryFn: ({ signal }) => fetchSuggestions(signal) });
  const [entity, setEntity] = useState<string | null>(null);
  return (
    <div className="page">
      <PageHead
        title="Review"
        lead="Scans suggest, people decide. Suggestions mask already; a confirmation makes them lasting, a rejection lifts them."
      />
      <Answer of={found} lines={6}>
        {(all) => {
          const counts = new Map<string, number>();
          for (const row of all)
            counts.set(row.classification.entity, (counts.get(row.classification.entity) ?? 0) + 1);
          const shown = all.filter((row) => entity === null || row.classification.entity === entity);
          if (all.length === 0) {
            return (
              <div className="panel">
                <Empty title="Nothing waits for review" icon={<ClipboardCheck size={28} aria-hidden />}>
                  <p>The next scan that finds something new brings it here.</p>
                </Empty>
              </div>
            );
          }
          return (
            <div className="columns left">
              <aside aria-label="Narrow down">
                <Facet
                  title="Personal data"
                  values={[...counts].map(([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count)}
                  chosen={entity}
                  onChoose={setEntity}
                />
              </aside>
              <section className="panel flush">
                <div className="panel-head">
                  <strong role="status">{plural(shown.length, "suggestion")}</strong>
                </div>
                <ClassificationTable rows={shown} withDataset />
              </section>
            </div>
          );
        }}
      </Answer>
    </div>
  );
}
