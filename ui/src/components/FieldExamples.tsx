// What a field looks like in the newest records, with letters and digits replaced: read when it is opened.
import { useQuery } from "@tanstack/react-query";
import { fetchRecords, newestRecords } from "@/api/records";
import { lookOf } from "@/lib/decision";
import { decisionAt, shapesAt } from "@/lib/fieldExamples";

const RECORDS = 20;
export function FieldExamples({ place, name, path }: { place: string; name: string; path: string }) {
  const newest = useQuery({
    queryKey: ["field-examples", place, name],
    staleTime: 60_000,
    retry: false,
    queryFn: ({ signal }) => fetchRecords(place, name, newestRecords(RECORDS), signal),
  });
  if (newest.isError) return <p className="muted small">{newest.error.message}</p>;
  if (!newest.data) return <p className="muted small">Reading the newest records …</p>;
  const shapes = shapesAt(newest.data.records, path);
  if (shapes.length === 0)
    return <p className="muted small">The newest {newest.data.records.length} records show nothing here.</p>;
  return (
    <p className="small examples">
      <span className="muted">Form, a for letters and 9 for digits:</span>{" "}
      {shapes.map((shape) => (
        <code key={shape}>{shape}</code>
      ))}
      {lookOf(decisionAt(newest.data, path)) !== "clear" && (
        <span className="muted">Masked for you: the form may be that of the mask.</span>
      )}
    </p>
  );
}
