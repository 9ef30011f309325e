// The button below a list that loads its next page.
interface Pages {
  hasNextPage: boolean;
  isFetching: boolean;
  fetchNextPage: () => unknown;
}

/** Nothing where there is no further page. `of`: the query of the list; `label`: what the button is called. */
export function NextPage({ of: pages, label, className = "" }: { of: Pages; label: string; className?: string }) {
  if (!pages.hasNextPage) return null;
  return (
    <div className={`panel-head ${className}`.trim()}>
      <button
        type="button"
        className="button small"
        disabled={pages.isFetching}
        onClick={() => void pages.fetchNextPage()}
      >
        {label}
      </button>
    </div>
  );
}
