/** Grey lines where text will stand. */
export function Loading({ lines = 4, label = "Loading" }: { lines?: number; label?: string }) {
  return (
    <div role="status" className="stack-s" aria-label={label}>
      {Array.from({ length: lines }, (_, i) => (
        <div key={i} className="skeleton" style={{ width: `${90 - ((i * 23) % 50)}%` }} />
      ))}
    </div>
  );
}
