import { useState } from "react";
import { useClassifications } from "@/api/catalog";
import type { DatasetDetails } from "@/api/types";
import { Answer } from "@/components/Answer";
import { ClassificationTable } from "@/components/ClassificationTable";
import { Empty } from "@/components/Empty";
import { Segments } from "@/components/Segments";
import { UndoNotice } from "@/components/UndoNotice";
import { useMay } from "@/lib/may";

type Shown = "all" | "suggested" | "confirmed" | "rejected";

/** Every find of personal data in a dataset, with its evidence and its review. */
export function PersonalData({ dataset }: { dataset: DatasetDetails }) {
  const place = dataset.cluster ?? dataset.namespace;
  const found = useClassifications(place, dataset.name);
  const { who } = useMay();
  const [shown, setShown] = useState<Shown>("all");
  return (
    <Answer of={found}>
      {(all) => {
        const number = (state: Shown) => (state === "all" ? all.length : all.filter((c) => c.state === state).length);
        const states: Shown[] = ["all", "suggested", "confirmed", "rejected"];
        return (
          <div className="stack">
            {!dataset.may.review && (
              <p className="muted small">Owners of the dataset confirm or reject, and reviewers: {who("review")}.</p>
            )}
            <UndoNotice />
            <Segments
              label="Which detections"
              value={shown}
              onChange={setShown}
              options={states.map((state) => ({ value: state, text: `${state} ${number(state)}` }))}
            />
            <div className="panel flush">
              {number(shown) === 0 ? (
                <Empty title={shown === "all" ? "No personal data is known here" : `Nothing is ${shown}`}>
                  <p>A scan suggests; people confirm or reject; a rejection stays through later scans.</p>
                </Empty>
              ) : (
                <ClassificationTable
                  rows={all
                    .filter((c) => shown === "all" || c.state === shown)
                    .map((classification) => ({ place, name: dataset.name, classification, may: dataset.may.review }))}
                  withDataset={false}
                />
              )}
            </div>
          </div>
        );
      }}
    </Answer>
  );
}
