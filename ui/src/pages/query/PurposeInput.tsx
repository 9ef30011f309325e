import { useGrants } from "@/api/access";

/** What the query is for. It counts only where a grant carries it; the grants' purposes are offered. */
export function PurposeInput({ value, onChange }: { value: string; onChange: (purpose: string) => void }) {
  const grants = useGrants().data ?? [];
  const offered = [...new Set(grants.filter((g) => g.status === "approved").map((g) => g.purpose))];
  return (
    <label className="row">
      <span className="muted">Purpose</span>
      <input
        className="input"
        style={{ width: 220 }}
        list="purposes"
        value={value}
        placeholder={offered.length > 0 ? "as in your grant" : "none"}
        onChange={(e) => onChange(e.target.value)}
      />
      <datalist id="purposes">
        {offered.map((purpose) => (
          <option key={purpose} value={purpose} />
        ))}
      </datalist>
    </label>
  );
}
