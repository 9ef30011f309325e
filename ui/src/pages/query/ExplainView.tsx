// What a query may see, column by column, without touching any data.
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { explain } from "@/api/query";
import type { Explanation } from "@/api/types";
import { Answer } from "@/components/Answer";
import { Empty } from "@/components/Empty";
import { Notice } from "@/components/Notice";
import { Reasons, reasonList } from "@/components/Reasons";
import { decisionReasons, lookOf, maskName } from "@/lib/decision";
import { links, referenceLink } from "@/lib/links";
import { sentence } from "@/lib/subject";

export function ExplainView({ sql, purpose }: { sql: string; purpose: string }) {
  const text = sql.trim();
  const answer = useQuery({
    queryKey: ["explain", text, purpose],
    enabled: text !== "",
    retry: false,
    queryFn: ({ signal }) => explain(text, purpose || null, signal),
  });
  if (!text) {
    return (
      <div className="panel">
        <Empty title="Nothing to explain yet">
          <p>Write a statement above: this tells what you would see of it and why.</p>
        </Empty>
      </div>
    );
  }
  return (
    <Answer of={answer}>
      {(explanation) => (
        <div className="stack">
          {explanation.datasets.map((one) => (
            <OneDataset key={one.dataset} of={one} />
          ))}
          {explanation.sql && (
            <details className="panel">
              <summary>What runs</summary>
              <pre className="small">{explanation.sql}</pre>
            </details>
          )}
        </div>
      )}
    </Answer>
  );
}

const TONES = { clear: "ok", masked: "mask", denied: "bad" };

function OneDataset({ of }: { of: Explanation["datasets"][number] }) {
  return (
    <section className="panel flush" aria-label={of.dataset}>
      <div className="panel-head">
        <h2>
          <Link to={referenceLink(of.dataset)}>{of.dataset}</Link>{" "}
          {of.effect && <span className={`badge ${of.effect === "deny" ? "bad" : "ok"}`}>{of.effect}</span>}
        </h2>
        <Link className="button small" to={links.ask(of.dataset)}>
          Ask for access
        </Link>
      </div>
      <div style={{ padding: "10px 14px" }} className="stack-s">
        <Reasons reasons={reasonList(of.reasons)} />
        {(of.gaps ?? []).map((gap) => (
          <Notice key={gap} tone="warn">
            {gap}
          </Notice>
        ))}
        {(of.filters ?? []).length > 0 && (
          <p className="small">
            <span className="muted">Only rows where </span>
            <code>{sentence(of.filters)}</code>
          </p>
        )}
      </div>
      <div className="table-wrap">
        <table className="table">
          <thead>
            <tr>
              <th>Field</th>
              <th>Shown</th>
              <th>Why</th>
            </tr>
          </thead>
          <tbody>
            {of.columns.map((column) => {
              const look = lookOf(column);
              return (
                <tr key={column.path}>
                  <td className="mono anywhere">{column.path}</td>
                  <td>
                    <span className={`badge ${TONES[look]}`}>{maskName(column) ?? look}</span>
                  </td>
                  <td>
                    <Reasons reasons={decisionReasons(column)} />
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </section>
  );
}
