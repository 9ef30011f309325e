/** Words as badges; `none` where there are none. */
export function WordList({ of }: { of: readonly string[] | null | undefined }) {
  if (!of || of.length === 0) return <span className="muted">none</span>;
  return (
    <span className="row" style={{ gap: 4 }}>
      {of.map((word) => (
        <span key={word} className="badge">
          {word}
        </span>
      ))}
    </span>
  );
}
