// A moment of the past to look at, in UTC as reports and entries of the audit have it; empty is now.

export function AsOf({ initial, onChange }: { initial?: string | null; onChange: (asOf: string) => void }) {
  return (
    <label className="row muted">
      as of (UTC)
      <input
        className="input"
        style={{ width: 200 }}
        type="datetime-local"
        aria-label="As of, in UTC"
        defaultValue={initial?.slice(0, 16)}
        onChange={(e) => onChange(e.currentTarget.value && `${e.currentTarget.value}:00Z`)}
      />
    </label>
  );
}
