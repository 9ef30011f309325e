export const PAGE = 100;
const MOST = 1000;

/** Under a list of which not everything is shown. `otherwise`: how to find what is beyond the most that a page shows. */
export function MoreRows({
  shown,
  total,
  limit,
  onMore,
  otherwise,
}: {
  shown: number;
  total: number;
  limit: number;
  onMore: (limit: number) => void;
  otherwise: string;
}) {
  if (shown >= total) return null;
  return (
    <p className="row">
      <span className="muted">
        {shown} of {total}
      </span>
      {limit < MOST ? (
        <button type="button" className="button small" onClick={() => onMore(Math.min(MOST, limit + PAGE))}>
          Show more
        </button>
      ) : (
        <span className="muted">{otherwise} for the others.</span>
      )}
    </p>
  );
}
