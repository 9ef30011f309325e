// Datasets and fields by words; facets left; everything in the address.
import { SearchX } from "lucide-react";
import { useEffect, useLayoutEffect, useRef } from "react";
import { Link, useLocation, useNavigate, useSearchParams } from "react-router";
import { useSearch } from "@/api/catalog";
import { reportOpened } from "@/api/search";
import type { FacetValue, Hit, SearchAnswer } from "@/api/types";
import { Empty } from "@/components/Empty";
import { Facet } from "@/components/Facets";
import { FilterChips } from "@/components/FilterChips";
import { bestOf, HitRow, hitLink } from "@/components/HitRow";
import { Loading } from "@/components/Loading";
import { ErrorNotice } from "@/components/Notice";
import { PageHead } from "@/components/PageHead";
import { Segments } from "@/components/Segments";
import { plural } from "@/lib/format";
import { useRecent } from "@/lib/kept";
import { links } from "@/lib/links";
import { arrows } from "@/lib/listKeys";
import { useMay } from "@/lib/may";
import { leftOutText } from "@/lib/searchWords";
import { filterText, typedFilters, withoutFilter } from "@/lib/typedFilters";
import "@/styles/search.css";
import { entityWords } from "@/lib/entityWords";

const FACETS = [
  ["kind", "Kind"],
  ["entity", "Personal data"],
  ["tag", "Tag"],
  ["owner", "Owner"],
  ["cluster", "Cluster"],
  ["format", "Format"],
] as const;
const CHOICES = [...FACETS.map(([name]) => name), "dataset"] as const;
const PAGE = 30;

export function Search() {
  const [params, setParams] = useSearchParams();
  const q = params.get("q") ?? "";
  const page = Math.max(0, Number(params.get("page") ?? 0) || 0);
  const chosen = Object.fromEntries(CHOICES.map((name) => [name, params.get(name)]));
  const grouped = params.get("view") !== "fields" && chosen.kind !== "field" && !chosen.dataset;
  const asked = { filters: { q, ...chosen, grouped }, limit: PAGE, offset: page * PAGE };
  const found = useSearch(asked.filters, asked.limit, asked.offset);
  const filtered = CHOICES.some((name) => chosen[name]);
  const recent = useRecent();
  const { may } = useMay();
  const set = (name: string, value: string | null) => {
    // The address knows what was typed last before the page is drawn with it.
    const next = new URLSearchParams(window.location.search);
    if (value === null) next.delete(name);
    else next.set(name, value);
    if (name !== "page") next.delete("page");
    setParams(next, { replace: name !== "page" });
  };
  const answer = found.data;
  const list = useKeptFocus(answer);
  const opened = (hit: Hit) => {
    recent.add(q);
    reportOpened(q, hit.reference);
  };
  useOpensFirst(found.isFetching ? undefined : answer?.hits, opened);
  const chips = [
    ...typedFilters(q).map((filter, at) => ({
      key: `typed ${at}`,
      text: filter.text,
      remove: () => set("q", withoutFilter(q, filter) || null),
    })),
    ...CHOICES.flatMap((name) => {
      const value = chosen[name];
      return value ? [{ key: name, text: filterText(name, value), remove: () => set(name, null) }] : [];
    }),
  ];
  return (
    <div className="page">
      <PageHead
        title={q ? `Search: ${q}` : "Search"}
        shown={q ? <>Results for “{q.length > 120 ? `${q.slice(0, 120)}…` : q}”</> : "Everything Weir knows"}
      >
        {answer && (
          <span className="muted" role="status">
            {plural(answer.total, grouped ? "dataset" : "result")}
          </span>
        )}
        {chosen.kind !== "field" && !chosen.dataset && (
          <Segments
            label="Show"
            value={grouped ? "datasets" : "fields"}
            options={[
              { value: "datasets", text: "By dataset", title: "Datasets, each with its best fields" },
              { value: "fields", text: "One by one", title: "Each dataset and each field by itself" },
            ]}
            onChange={(view) => set("view", view === "fields" ? view : null)}
          />
        )}
      </PageHead>
      <div className="columns left">
        <aside aria-label="Filters">
          <details className="facets" open={window.innerWidth > 1000 || filtered}>
            <summary className="small">Filters</summary>
            <div className="stack">
              {FACETS.map(([name, title]) => (
                <Facet
                  key={name}
                  title={title}
                  values={shownValues(name, answer?.facets)}
                  chosen={chosen[name] ?? null}
                  words={name === "entity" ? entityWords : undefined}
                  onChoose={(value) => set(name, value)}
                />
              ))}
              {filtered && (
                <Link className="small" to={links.search({ q })}>
                  Clear filters
                </Link>
              )}
            </div>
          </details>
        </aside>
        <section className="panel flush" aria-label="Results">
          {found.isError && <ErrorNotice error={found.error} retry={() => void found.refetch()} />}
          {!answer && !found.isError && (
            <div className="panel">
              <Loading lines={6} />
            </div>
          )}
          <FilterChips chips={chips} />
          {answer && <Understood answer={answer} q={q} chosen={chosen} />}
          {answer?.hits.length === 0 && (
            <Empty title="Nothing found" icon={<SearchX size={28} aria-hidden />}>
              {filtered ? (
                <p>
                  No result matches these filters. <Link to={links.search({ q })}>Clear filters</Link>.
                </p>
              ) : (
                <p>
                  Try fewer or shorter words: names of topics or fields, owners, or a kind of personal data such as
                  EMAIL_ADDRESS. A topic that was never scanned is not here yet
                  {may("scan") ? (
                    <>
                      : <Link to={links.admin("scans")}>scan one</Link>.
                    </>
                  ) : (
                    "."
                  )}
                </p>
              )}
            </Empty>
          )}
          <ul
            className="hits"
            ref={list}
            onKeyDown={arrows("[data-hit]")}
            aria-label="Found"
            aria-busy={found.isFetching}
          >
            {answer?.hits.map((hit) => (
              <HitRow key={`${hit.namespace}/${hit.name}/${hit.path ?? ""}`} hit={hit} asked={asked} onOpen={opened} />
            ))}
          </ul>
          {answer && answer.total > PAGE && (
            <div className="panel-head pager">
              <button
                type="button"
                className="button small"
                disabled={page === 0}
                onClick={() => set("page", String(page - 1))}
              >
                Previous
              </button>
              <span className="muted small">
                {page * PAGE + 1}–{Math.min(answer.total, (page + 1) * PAGE)} of {answer.total}
              </span>
              <button
                type="button"
                className="button small"
                disabled={(page + 1) * PAGE >= answer.total}
                onClick={() => set("page", String(page + 1))}
              >
                Next
              </button>
            </div>
          )}
        </section>
      </div>
    </div>
  );
}

/** How the query was read: what it may have meant, and which words the best answer does not hold. */
function Understood({
  answer,
  q,
  chosen,
}: {
  answer: SearchAnswer;
  q: string;
  chosen: Record<string, string | null | undefined>;
}) {
  const left = answer.leftOut ?? [];
  if (!answer.didYouMean && left.length === 0) return null;
  const meant = [...typedFilters(q).map(({ name, value }) => filterText(name, value)), answer.didYouMean ?? ""].join(
    " ",
  );
  return (
    <p className="small muted understood">
      {answer.didYouMean && (
        <>
          Did you mean <Link to={links.search({ ...chosen, q: meant })}>{answer.didYouMean}</Link>?{" "}
        </>
      )}
      {left.length > 0 && <>{leftOutText(left, q)}</>}
    </p>
  );
}

/** Enter in the search box opens the first hit of all that was typed, not of the letters before. */
function useOpensFirst(hits: Hit[] | undefined, opened: (hit: Hit) => void) {
  const { search, state } = useLocation();
  const navigate = useNavigate();
  const asked = (state as { open?: boolean } | null)?.open === true;
  const tell = useRef(opened);
  tell.current = opened;
  useEffect(() => {
    if (!asked || !hits) return;
    navigate({ search }, { replace: true, state: null }); // who comes back stays on the list
    if (!hits[0]) return;
    const best = bestOf(hits[0]);
    tell.current(best);
    navigate(hitLink(best));
  }, [asked, hits, navigate, search]);
}

/** A hit that had the focus and is gone with the next answer leaves it to the first: the keyboard goes on. */
function useKeptFocus(answer: unknown) {
  const list = useRef<HTMLUListElement>(null);
  const held = useRef<Element | null>(null);
  useEffect(() => {
    const note = () => {
      held.current = list.current?.contains(document.activeElement) ? document.activeElement : null;
    };
    document.addEventListener("focusin", note);
    return () => document.removeEventListener("focusin", note);
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is drawn changes with the answer.
  useLayoutEffect(() => {
    if (held.current && !held.current.isConnected) list.current?.querySelector<HTMLElement>("[data-hit]")?.focus();
  }, [answer]);
  return list;
}

/** Kinds of personal data are tags too; they stand under their own heading once. */
function shownValues(name: string, facets: Record<string, FacetValue[]> | undefined): FacetValue[] {
  const values = facets?.[name] ?? [];
  if (name === "entity") return values.filter((v) => v.value !== "PII");
  if (name !== "tag") return values;
  const kinds = new Set((facets?.entity ?? []).map((e) => e.value));
  return values.filter((v) => !kinds.has(v.value));
}
