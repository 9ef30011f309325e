import { useHealth } from "@/api/reports";
import { Answer } from "@/components/Answer";

/** Which servers answer, and how far the lineage graph is behind. */
export function Health() {
  const health = useHealth();
  return (
    <Answer of={health}>
      {(body) => {
        const servers = Object.entries(body.servers ?? {});
        const lag = body.lineage?.lagEvents;
        return (
          <div className="panel stack">
            <p>
              Weir is{" "}
              <span className={`badge ${body.status === "ready" ? "ok" : body.status === "degraded" ? "warn" : "bad"}`}>
                {body.status}
              </span>
            </p>
            <dl className="facts">
              {servers.map(([name, server]) => (
                <div key={name} style={{ display: "contents" }}>
                  <dt>{name}</dt>
                  <dd>
                    <span className={`badge ${server.up ? "ok" : "bad"}`}>
                      {server.up ? "answers" : "does not answer"}
                    </span>{" "}
                    {server.problem}
                  </dd>
                </div>
              ))}
              <dt>lineage</dt>
              <dd>{lag == null ? "unknown" : lag === 0 ? "up to date" : `${lag} events behind`}</dd>
            </dl>
          </div>
        );
      }}
    </Answer>
  );
}
