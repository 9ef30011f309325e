// Detections of personal data over all datasets: by state, kind and dataset; judged one by one or many at once.
import { ClipboardCheck } from "lucide-react";
import { useState } from "react";
import { useSearchParams } from "react-router";
import { type FoundAt, type Outcome, useFound } from "@/api/classifications";
import type { FacetValue, ReviewState } from "@/api/types";
import { Answer } from "@/components/Answer";
import { ClassificationTable } from "@/components/ClassificationTable";
import { DecideButtons, DecideDialog, type DecisionAsked } from "@/components/DecideDetection";
import { Empty } from "@/components/Empty";
import { Facet } from "@/components/Facets";
import { Loading } from "@/components/Loading";
import { Notice } from "@/components/Notice";
import { PageHead } from "@/components/PageHead";
import { Segments } from "@/components/Segments";
import { UndoNotice } from "@/components/UndoNotice";
import { plural } from "@/lib/format";
import { useMay } from "@/lib/may";
import "@/styles/search.css";
import { entityWords } from "@/lib/entityWords";

const PAGE = 100;
const STATES = ["suggested", "confirmed", "rejected"] as const;
const keyOf = (c: FoundAt) => `${c.dataset} ${c.path} ${c.entity}`;

export default function ReviewPage() {
  const { known, may, who } = useMay();
  const [params, setParams] = useSearchParams();
  const state = STATES.find((s) => s === params.get("state")) ?? "suggested";
  const entity = params.get("entity");
  const dataset = params.get("dataset");
  const doubtful = params.get("doubtful") === "true";
  const [shown, setShown] = useState(PAGE);
  const found = useFound({ state, entity, dataset, doubtful }, shown);
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const set = (name: string, value: string | null) => {
    const next = new URLSearchParams(params);
    value === null ? next.delete(name) : next.set(name, value);
    setParams(next, { replace: true });
    setPicked(new Set());
    setShown(PAGE);
  };
  return (
    <div className="page wide">
      <PageHead
        title="Review"
        lead="Scans suggest, people decide. Suggestions mask already; a confirmation keeps the mask, a rejection removes it."
      >
        <Segments
          label="Which detections"
          value={state}
          onChange={(value) => set("state", value)}
          options={STATES.map((value) => ({ value, text: value }))}
        />
        {state === "suggested" && (
          <label className="row">
            <input
              type="checkbox"
              checked={doubtful}
              onChange={(event) => set("doubtful", event.target.checked ? "true" : null)}
            />
            Doubtful only
          </label>
        )}
      </PageHead>
      <UndoNotice />
      {known && !may("review") && (
        <p className="muted small">Owners decide on their own datasets; on all of them {who("review")}.</p>
      )}
      <Answer of={found} lines={6}>
        {(page) => (
          <div className="columns left">
            <aside aria-label="Filters">
              <details className="facets" open={window.innerWidth > 1000}>
                <summary className="small">
                  Filters
                  {(entity || dataset) && `: ${[entity && entityWords(entity), dataset].filter(Boolean).join(", ")}`}
                </summary>
                <div className="stack">
                  <Facet
                    title="Personal data"
                    values={counted(page.counts.entity)}
                    chosen={entity}
                    words={entityWords}
                    onChoose={(value) => set("entity", value)}
                  />
                  <Facet
                    title="Dataset"
                    values={counted(page.counts.dataset)}
                    chosen={dataset}
                    onChoose={(value) => set("dataset", value)}
                  />
                </div>
              </details>
            </aside>
            <section className="panel flush" aria-label="Detections" aria-busy={found.isPlaceholderData}>
              <Bulk
                key={state}
                state={state}
                busy={found.isPlaceholderData}
                total={page.total}
                rows={page.classifications}
                kinds={Object.keys(page.counts.entity ?? {})}
                picked={picked}
                onPick={setPicked}
                onDone={() => setPicked(new Set())}
              />
              {page.total === 0 && found.isPlaceholderData ? (
                <Loading lines={6} />
              ) : page.total === 0 ? (
                <Empty
                  title={state === "suggested" ? "Nothing waits for review" : `Nothing is ${state}`}
                  icon={<ClipboardCheck size={28} aria-hidden />}
                >
                  <p>
                    {entity || dataset
                      ? "Remove a filter to see the rest."
                      : "The next scan that finds something new brings it here."}
                  </p>
                </Empty>
              ) : (
                <div inert={found.isPlaceholderData}>
                  <ClassificationTable
                    rows={page.classifications.map((c) => ({
                      place: c.dataset.slice(0, -c.name.length - 1) || c.namespace,
                      name: c.name,
                      classification: c,
                      may: c.mayReview,
                    }))}
                    withDataset
                    kinds={Object.keys(page.counts.entity ?? {})}
                    picked={(i) => picked.has(keyOf(page.classifications[i] as FoundAt))}
                    onPick={(i, on) => {
                      const next = new Set(picked);
                      const key = keyOf(page.classifications[i] as FoundAt);
                      on ? next.add(key) : next.delete(key);
                      setPicked(next);
                    }}
                  />
                </div>
              )}
              {page.total > page.classifications.length && (
                <div className="panel-head pager">
                  <button type="button" className="button small" onClick={() => setShown(Math.min(1000, shown + 400))}>
                    Show more
                  </button>
                  <span className="muted small">
                    {page.classifications.length} of {page.total}
                  </span>
                </div>
              )}
            </section>
          </div>
        )}
      </Answer>
    </div>
  );
}

function counted(values: Record<string, number> | undefined): FacetValue[] {
  return Object.entries(values ?? {})
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || a.value.localeCompare(b.value));
}

/** How many there are, how many are picked, and what is done with them. */
function Bulk({
  state,
  busy,
  total,
  rows,
  kinds,
  picked,
  onPick,
  onDone,
}: {
  state: ReviewState;
  /** What is shown is still the answer to an earlier question: it is neither counted nor chosen. */
  busy: boolean;
  total: number;
  rows: FoundAt[];
  kinds: readonly string[];
  picked: ReadonlySet<string>;
  onPick: (keys: ReadonlySet<string>) => void;
  onDone: () => void;
}) {
  const [asked, setAsked] = useState<DecisionAsked | null>(null);
  const [done, setDone] = useState<Outcome | null>(null);
  const open = rows.filter((c) => c.mayReview);
  const chosen = open.filter((c) => picked.has(keyOf(c)));
  const all = open.length > 0 && chosen.length === open.length;
  const same = chosen.every((c) => c.entity === chosen[0]?.entity);
  return (
    <>
      <div className="panel-head">
        <label className="row">
          <input
            type="checkbox"
            checked={all}
            disabled={busy || open.length === 0}
            onChange={() => onPick(all ? new Set() : new Set(open.map(keyOf)))}
            aria-label="All that are shown"
          />
          <strong role="status">
            {chosen.length > 0
              ? `${chosen.length} of ${total} chosen`
              : busy
                ? "One moment …"
                : `${plural(total, "detection")} ${state}`}
          </strong>
        </label>
        {chosen.length > 0 ? (
          <DecideButtons
            state={state}
            entity={same ? (chosen[0]?.entity ?? null) : null}
            number={chosen.length}
            what={plural(chosen.length, "detection")}
            kinds={kinds}
            onAsk={setAsked}
          />
        ) : (
          state === "suggested" && <span className="muted small">The most doubtful first</span>
        )}
      </div>
      {done && done.refused > 0 && <Refused of={done} />}
      {asked && (
        <DecideDialog
          asked={asked}
          items={chosen}
          known={rows}
          onClose={() => setAsked(null)}
          onDone={(outcome) => {
            setDone(outcome);
            setAsked(null);
            onDone();
          }}
        />
      )}
    </>
  );
}

function Refused({ of }: { of: Outcome }) {
  return (
    <div style={{ padding: "10px 14px" }}>
      <Notice tone="warn">
        <p>
          {plural(of.reviewed, "detection")} decided, {of.refused} refused.
        </p>
        <ul className="reasons small">
          {of.results
            .filter((r) => r.problem)
            .slice(0, 5)
            .map((r) => (
              <li key={`${r.name} ${r.path} ${r.entity}`}>
                <span className="anywhere">{r.problem}</span>
              </li>
            ))}
        </ul>
      </Notice>
    </div>
  );
}
