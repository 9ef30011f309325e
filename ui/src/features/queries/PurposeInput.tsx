import { usePurposes } from "@/api/purposes";
import { PurposeSelect } from "@/components/PurposeSelect";

/** What the query is for. It counts only where a grant carries or covers it; these are offered. */
export function PurposeInput({ value, onChange }: { value: string; onChange: (purpose: string) => void }) {
  const tree = usePurposes().data;
  const offered = tree?.granted ?? [];
  if (tree && tree.purposes.length > 0) {
    return (
      <label className="row" htmlFor="purpose">
        <span className="muted">Purpose</span>
        <PurposeSelect
          id="purpose"
          value={value}
          onChange={onChange}
          purposes={tree.purposes}
          may={(purpose) => purpose.yours}
          none={offered.length > 0 ? "none stated" : "none granted"}
        />
      </label>
    );
  }
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
