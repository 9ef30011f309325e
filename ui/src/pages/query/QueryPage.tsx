// SQL over topics: write, explain, run, follow. The statement stands in the address, so that it can be sent on.
import { Play, Radio, Square } from "lucide-react";
import { useRef, useState } from "react";
import { useSearchParams } from "react-router";
import { useMe } from "@/api/access";
import { useRunQuery } from "@/api/query";
import type { Checked } from "@/api/types";
import { PageHead } from "@/components/PageHead";
import { Segments } from "@/components/Segments";
import { useToken } from "@/lib/session";
import { isPush } from "@/lib/sql";
import { useHistory } from "@/lib/useHistory";
import { ExplainView } from "@/pages/query/ExplainView";
import { History } from "@/pages/query/History";
import { LiveView } from "@/pages/query/LiveView";
import { Preview } from "@/pages/query/Preview";
import { PurposeInput } from "@/pages/query/PurposeInput";
import { ResultView } from "@/pages/query/ResultView";
import { Running } from "@/pages/query/Running";
import { SaveAsView } from "@/pages/query/SaveAsView";
import { type Given, SqlEditor } from "@/pages/query/SqlEditor";
import { useTail } from "@/pages/query/useTail";
import "@/styles/query.css";

type Pane = "result" | "explain" | "running" | "history";

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
  const [limit, setLimit] = useState(100);
  const [pane, setPane] = useState<Pane>("result");
  const [live, setLive] = useState(false);
  const run = useRunQuery();
  const tail = useTail();
  const history = useHistory(user);
  const [checked, setChecked] = useState<Checked | null>(null);
  const stopper = useRef<AbortController | null>(null);
  const push = isPush(sql);
  const busy = run.isPending || tail.state === "connecting" || tail.state === "live";

  const start = (text = written.current) => {
    const asked = text.trim();
    if (!asked) return;
    stop();
    setPane("result");
    const keep = new URLSearchParams({ sql: asked });
    if (purpose) keep.set("purpose", purpose);
    setParams(keep, { replace: true });
    history.add(asked, purpose);
    setLive(isPush(asked));
    if (isPush(asked)) {
      void tail.start(asked, purpose || null);
      return;
    }
    stopper.current = new AbortController();
    run.mutate({ sql: asked, purpose: purpose || null, limit, signal: stopper.current.signal });
  };
  const stop = () => {
    stopper.current?.abort();
    tail.stop();
  };

  return (
    <div className="page wide">
      <PageHead title="Query">
        <PurposeInput value={purpose} onChange={setPurpose} />
      </PageHead>
      <section className="panel flush" aria-label="Statement">
        <SqlEditor given={given} purpose={purpose} onChange={write} onRun={start} onChecked={setChecked} />
        <Preview of={checked} />
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
          <SaveAsView sql={sql} purpose={purpose} />
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
          <Segments
            label="What is shown below"
            value={pane}
            onChange={setPane}
            options={[
              { value: "result", text: "Result" },
              { value: "explain", text: "Explain" },
              { value: "running", text: "Running" },
              { value: "history", text: "History" },
            ]}
          />
        </div>
      </section>
      {pane === "result" && (live ? <LiveView tail={tail} /> : <ResultView run={run} sql={sql} purpose={purpose} />)}
      {pane === "explain" && <ExplainView sql={sql} purpose={purpose} />}
      {pane === "running" && <Running />}
      {pane === "history" && (
        <History
          items={history.items}
          onClear={history.clear}
          onChoose={(item) => {
            setGiven({ sql: item.sql });
            setPurpose(item.purpose);
          }}
        />
      )}
    </div>
  );
}
