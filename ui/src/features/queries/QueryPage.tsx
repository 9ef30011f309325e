// SQL over topics: write, explain, run, follow, save. The statement, its parameters and its chart stand in the address,
// so that they can be sent on.
import { Play, Radio, Square } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { useSearchParams } from "react-router";
import { useMe } from "@/api/access";
import { useRunQuery } from "@/api/query";
import { useSavedQuery } from "@/api/savedQueries";
import type { Checked, SavedQuery } from "@/api/types";
import { ErrorNotice, Notice } from "@/components/Notice";
import { PageHead } from "@/components/PageHead";
import { Segments } from "@/components/Segments";
import { ExplainView } from "@/features/queries/ExplainView";
import { History } from "@/features/queries/History";
import { LiveView } from "@/features/queries/LiveView";
import { Parameters } from "@/features/queries/Parameters";
import { Preview } from "@/features/queries/Preview";
import { PurposeInput } from "@/features/queries/PurposeInput";
import { ResultHistory } from "@/features/queries/ResultHistory";
import { ResultView } from "@/features/queries/ResultView";
import { Running } from "@/features/queries/Running";
import { SaveAsView } from "@/features/queries/SaveAsView";
import { SavedQueries } from "@/features/queries/SavedQueries";
import { SaveQuery } from "@/features/queries/SaveQuery";
import { type Given, SqlEditor } from "@/features/queries/SqlEditor";
import { useTail } from "@/features/queries/useTail";
import { filled, type Parameter, parametersIn, parametersOf, withParameters } from "@/lib/parameters";
import { useFetched } from "@/lib/part";
import { type ChartAsked, chartOf, withChart } from "@/lib/resultChart";
import { type Result, withResult } from "@/lib/results";
import { useToken } from "@/lib/session";
import { isPush } from "@/lib/sql";
import { useChoice } from "@/lib/useChoice";
import { useHistory } from "@/lib/useHistory";
import { ResultChart } from "@/parts";
import "@/styles/query.css";

const PANES = [
  { value: "result", text: "Result" },
  { value: "explain", text: "Explain" },
  { value: "running", text: "Running" },
  { value: "saved", text: "Saved" },
  { value: "history", text: "History" },
];

/** The statement with its values, or why it cannot be made. */
function made(sql: string, values: ReadonlyMap<string, Parameter>): { sql: string; problem: string | null } {
  try {
    return { sql: filled(sql, values), problem: null };
  } catch (problem) {
    return { sql, problem: problem instanceof Error ? problem.message : String(problem) };
  }
}

export default function QueryPage() {
  const [params, setParams] = useSearchParams();
  const user = useMe(useToken()).data?.user;
  const [given, setGiven] = useState<Given>({ sql: params.get("sql") ?? "" });
  const [sql, setSql] = useState(given.sql);
  // A button pressed right after the last letter runs that letter too, drawn or not.
  const written = useRef(sql);
  const write = (text: string) => {
    written.current = text;
    setSql(text);
  };
  const [purpose, setPurpose] = useState(params.get("purpose") ?? "");
  const [values, setValues] = useState(() => parametersOf(params));
  const [limit, setLimit] = useState(100);
  const [pane, setPane] = useChoice("pane", PANES, "result");
  const [live, setLive] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [results, setResults] = useState<Result[]>([]);
  const [chosen, setChosen] = useState<number | null>(null);
  const run = useRunQuery();
  const tail = useTail();
  const history = useHistory(user);
  const opened = useSavedQuery(params.get("saved"));
  const [checked, setChecked] = useState<Checked | null>(null);
  const stopper = useRef<AbortController | null>(null);
  // Nobody reads the rows of a page that was left: its query does not go on beside those of others.
  useEffect(() => () => stopper.current?.abort(), []);
  const names = useMemo(() => parametersIn(sql), [sql]);
  const ready = useMemo(() => made(sql, values), [sql, values]);
  const chart = useMemo(() => chartOf(params), [params]);
  useFetched(ResultChart, chart !== null);
  const push = isPush(sql);
  const busy = run.isPending || tail.state === "connecting" || tail.state === "live";

  /** Takes a saved query into the page; its parameters keep their values where they have the same names. */
  const open = (query: SavedQuery) => {
    setGiven({ sql: query.sql });
    write(query.sql);
    setPurpose(query.purpose ?? "");
    const next = new URLSearchParams({ saved: query.id });
    withParameters(next, query.sql, values);
    withChart(next, query.chart);
    setParams(next);
  };
  const loaded = useRef<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a saved query is taken once, when it has come.
  useEffect(() => {
    const query = opened.data;
    if (!query || loaded.current === query.id) return;
    loaded.current = query.id;
    if (params.get("sql") === null && written.current.trim() === "") {
      setGiven({ sql: query.sql });
      write(query.sql);
      setPurpose(query.purpose ?? "");
      if (query.chart && chart === null) askChart(query.chart);
    }
  }, [opened.data]);

  const askChart = (asked: ChartAsked | null) => {
    const next = new URLSearchParams(params);
    withChart(next, asked);
    setParams(next, { replace: true });
  };
  const start = (text = written.current) => {
    const wanted = text.trim();
    if (!wanted) return;
    const full = made(wanted, values);
    setProblem(full.problem);
    if (full.problem) return;
    stop();
    const keep = new URLSearchParams({ sql: wanted });
    if (purpose) keep.set("purpose", purpose);
    const saved = params.get("saved");
    if (saved) keep.set("saved", saved);
    withParameters(keep, wanted, values);
    withChart(keep, chart);
    setParams(keep, { replace: true });
    history.add(wanted, purpose);
    setLive(isPush(wanted));
    setChosen(null);
    if (isPush(wanted)) {
      void tail.start(full.sql, purpose || null);
      return;
    }
    stopper.current = new AbortController();
    const asked = { sql: full.sql, purpose: purpose || null, limit };
    const since = performance.now();
    run.mutate(
      { ...asked, signal: stopper.current.signal },
      {
        onSuccess: (answer) =>
          setResults((before) =>
            withResult(before, {
              id: (before[0]?.id ?? 0) + 1,
              written: wanted,
              asked,
              answer,
              at: new Date().toISOString(),
              ms: performance.now() - since,
            }),
          ),
      },
    );
  };
  const stop = () => {
    stopper.current?.abort();
    tail.stop();
  };
  const shown = results.find((each) => each.id === chosen) ?? null;

  return (
    <div className="page wide">
      <PageHead
        title="Query"
        {...(opened.data
          ? { lead: `${opened.data.name}, saved by ${opened.data.owner}. ${opened.data.description}` }
          : {})}
      >
        <PurposeInput value={purpose} onChange={setPurpose} />
      </PageHead>
      {opened.isError && <ErrorNotice error={opened.error} />}
      <section className="panel flush" aria-label="Statement">
        <SqlEditor
          given={given}
          purpose={purpose}
          values={values}
          onChange={write}
          onRun={start}
          onChecked={setChecked}
        />
        <Preview of={checked} />
        <Parameters names={names} values={values} onChange={setValues} />
        <div className="query-bar">
          {busy ? (
            <button type="button" className="button" onClick={stop}>
              <Square size={14} aria-hidden /> Stop
            </button>
          ) : (
            <button type="button" className="button primary" onClick={() => start()} disabled={!sql.trim()}>
              {push ? <Radio size={15} aria-hidden /> : <Play size={14} aria-hidden />}
              {push ? "Follow" : "Run"}
            </button>
          )}
          <SaveQuery
            sql={sql}
            purpose={purpose}
            chart={chart}
            opened={opened.data ?? null}
            onSaved={(query) => {
              const next = new URLSearchParams(params);
              next.set("saved", query.id);
              setParams(next, { replace: true });
            }}
          />
          <SaveAsView sql={ready.sql} purpose={purpose} />
          <span className="muted small">Ctrl+Enter</span>
          <label className="row small" style={{ marginLeft: "auto" }}>
            at most
            <select className="select" value={limit} onChange={(e) => setLimit(Number(e.target.value))} disabled={push}>
              {[100, 1000, 10_000, 100_000].map((n) => (
                <option key={n} value={n}>
                  {n.toLocaleString("en")} rows
                </option>
              ))}
            </select>
          </label>
          <Segments label="What is shown below" value={pane} onChange={setPane} options={PANES} />
        </div>
      </section>
      {problem && <Notice tone="bad">{problem}</Notice>}
      {pane === "result" &&
        (live && !shown ? (
          <LiveView tail={tail} />
        ) : (
          <ResultView run={run} earlier={shown} sql={ready.sql} purpose={purpose} chart={chart} onChart={askChart} />
        ))}
      {pane === "explain" && <ExplainView sql={ready.sql} purpose={purpose} />}
      {pane === "running" && <Running />}
      {pane === "saved" && (
        <SavedQueries
          user={user}
          onChoose={(query) => {
            loaded.current = query.id;
            open(query);
          }}
        />
      )}
      {pane === "history" && (
        <>
          <ResultHistory
            results={results}
            onOpen={(id) => {
              setChosen(id);
              setPane("result");
            }}
          />
          <History
            items={history.items}
            onClear={history.clear}
            onChoose={(item) => {
              setGiven({ sql: item.sql });
              setPurpose(item.purpose);
            }}
          />
        </>
      )}
    </div>
  );
}
