// How large the newest records are. Records are read for it, so it is asked for.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { fetchRecords, newestRecords } from "@/api/records";
import { Answer } from "@/components/Answer";
import { BarChart } from "@/components/BarChart";
import { histogram } from "@/lib/chart";
import { bytes, plural } from "@/lib/format";

const NEWEST = 200;
export function Sizes({ place, name }: { place: string; name: string }) {
  const [asked, setAsked] = useState(false);
  const records = useQuery({
    queryKey: ["sizes", place, name],
    enabled: asked,
    retry: false,
    queryFn: ({ signal }) => fetchRecords(place, name, newestRecords(NEWEST), signal),
  });
  return (
    <section className="panel stack-s" aria-labelledby="sizes">
      <h2 id="sizes">Message size</h2>
      {asked ? (
        <Answer of={records} lines={2}>
          {(found) => <Shown all={found.records.length} sizes={found.records.flatMap((r) => r.bytes ?? [])} />}
        </Answer>
      ) : (
        <div className="row">
          <button type="button" className="button small" onClick={() => setAsked(true)}>
            Measure the newest records
          </button>
          <span className="muted small">Reads up to {NEWEST} records, and is in the audit as such.</span>
        </div>
      )}
    </section>
  );
}

function Shown({ all, sizes }: { all: number; sizes: number[] }) {
  if (all === 0) return <p className="muted">The topic has no record that you may see.</p>;
  if (sizes.length === 0)
    return <p className="muted">Sizes are shown to those who may see every field unmasked; tombstones have none.</p>;
  const spans = histogram(sizes);
  const middle = [...sizes].sort((a, b) => a - b)[Math.floor(sizes.length / 2)] ?? 0;
  return (
    <>
      <p>
        <strong>{bytes(middle)}</strong> in the middle, {bytes(Math.min(...sizes))} to {bytes(Math.max(...sizes))}, of{" "}
        {plural(sizes.length, "value")}
        {sizes.length < all && <span className="muted">; {plural(all - sizes.length, "record")} without a size</span>}
      </p>
      <BarChart
        title="Newest records by the size of their value"
        bars={spans.map((s) => ({ at: `${bytes(s.from)} to ${bytes(s.to)}`, value: s.count }))}
        text={(bar) => `${bar.at}: ${plural(bar.value, "record")}`}
      />
    </>
  );
}
