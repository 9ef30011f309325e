// A moment of the past to look at; empty is now.

export function AsOf({ onChange }: { onChange: (asOf: string) => void }) {
  return (
    <label className="row muted">
      as of
      <input
        className="input"
        style={{ width: 220 }}
        type="datetime-local"
        aria-label="As of"
        onChange={(e) => onChange(e.currentTarget.value && new Date(e.currentTarget.value).toISOString())}
      />
    </label>
  );
}
