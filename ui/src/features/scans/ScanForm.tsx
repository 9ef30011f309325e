import { useState } from "react";
import { useNavigate } from "react-router";
import { useStartScan } from "@/api/scans";
import type { Cluster } from "@/api/types";
import { Needs } from "@/components/Needs";
import { ErrorNotice } from "@/components/Notice";
import { wordsFromText } from "@/lib/declare";

const STRATEGIES = {
  stratified: "spread over time",
  "since-last": "only what is new",
  latest: "the newest",
  earliest: "the oldest",
  random: "random windows",
  full: "everything that is kept",
};
const ELSEWHERE = "";

/** Starts a scan: of a declared cluster, or of an address that is not known yet. */
export function ScanForm(props: { clusters: Cluster[] }) {
  return (
    <Needs permission="scan" what="Scanning topics">
      <Form {...props} />
    </Needs>
  );
}

function Form({ clusters }: { clusters: Cluster[] }) {
  const navigate = useNavigate();
  const start = useStartScan();
  const [chosen, setCluster] = useState<string | null>(null);
  const cluster = chosen ?? clusters[0]?.name ?? ELSEWHERE;
  const [servers, setServers] = useState("");
  const [registry, setRegistry] = useState("");
  const [topics, setTopics] = useState("*");
  const [strategy, setStrategy] = useState("stratified");
  const [reread, setReread] = useState(false);
  const [records, setRecords] = useState(1000);
  return (
    <form
      className="panel stack"
      aria-labelledby="scan"
      onSubmit={(event) => {
        event.preventDefault();
        const schemaRegistry = registry.trim() || null;
        const where = cluster === ELSEWHERE ? { bootstrapServers: servers.trim(), schemaRegistry } : { cluster };
        start.mutate(
          { ...where, topics: wordsFromText(topics), sample: { strategy, records }, reread },
          { onSuccess: ({ id }) => navigate(`/admin/scans/${encodeURIComponent(id)}`) },
        );
      }}
    >
      <h2 id="scan">Scan topics</h2>
      <div className="cards">
        <div className="field">
          <label htmlFor="cluster">Cluster</label>
          <select id="cluster" className="select" value={cluster} onChange={(e) => setCluster(e.target.value)}>
            {clusters.map((c) => (
              <option key={c.name}>{c.name}</option>
            ))}
            <option value={ELSEWHERE}>another address …</option>
          </select>
        </div>
        {cluster === ELSEWHERE && (
          <>
            <div className="field">
              <label htmlFor="servers">Bootstrap servers</label>
              <input
                id="servers"
                className="input"
                required
                placeholder="localhost:9092"
                value={servers}
                onChange={(e) => setServers(e.target.value)}
              />
            </div>
            <div className="field">
              <label htmlFor="registry">Schema registry</label>
              <input
                id="registry"
                className="input"
                placeholder="http://localhost:8081"
                value={registry}
                onChange={(e) => setRegistry(e.target.value)}
              />
              <span className="hint">Where there is one. TLS and passwords are declared.</span>
            </div>
          </>
        )}
        <div className="field">
          <label htmlFor="topics">Topics</label>
          <input id="topics" className="input" value={topics} onChange={(e) => setTopics(e.target.value)} />
          <span className="hint">Names, or patterns with *; commas between.</span>
        </div>
        <div className="field">
          <label htmlFor="strategy">Strategy</label>
          <select id="strategy" className="select" value={strategy} onChange={(e) => setStrategy(e.target.value)}>
            {Object.entries(STRATEGIES).map(([name, text]) => (
              <option key={name} value={name}>
                {text}
              </option>
            ))}
          </select>
        </div>
        <div className="field">
          <label htmlFor="records">Maximum records per topic</label>
          <input
            id="records"
            className="input"
            type="number"
            min={1}
            value={records}
            onChange={(e) => setRecords(Number(e.target.value))}
          />
        </div>
      </div>
      <label className="row">
        <input type="checkbox" checked={reread} onChange={(e) => setReread(e.target.checked)} />
        Read also topics that did not change since their last scan
      </label>
      {start.isError && <ErrorNotice error={start.error} />}
      <div>
        <button type="submit" className="button primary" disabled={start.isPending || !topics.trim()}>
          Start the scan
        </button>
      </div>
    </form>
  );
}
