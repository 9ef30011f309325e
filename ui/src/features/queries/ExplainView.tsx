// What a query may see, column by column, without touching any data.

import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { explain } from "@/api/query";
import type { ExplainedTable, Explanation } from "@/api/types";
import { Answer } from "@/components/Answer";
import { Empty } from "@/components/Empty";
import { Notice } from "@/components/Notice";
import { Reasons, reasonList } from "@/components/Reasons";
import { columnReasons, lookOf } from "@/lib/decision";
import { plural } from "@/lib/format";
import { links, referenceLink } from "@/lib/links";
import { maskWords } from "@/lib/maskWords";
import { readText } from "@/lib/window";

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
          <p>Write a statement above: the explanation shows what you would see and why.</p>
        </Empty>
      </div>
    );
  }
  return (
    <Answer of={answer}>
      {(explanation) => (
        <div className="stack">
          {explanation.columns.length > 0 && <Shown of={explanation} />}
          {explanation.tables.map((table) => (
            <OneTable key={table.dataset} of={table} />
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

const TONES = { clear: "ok", masked: "mask", withheld: "bad" };

/** The answer's columns as they would be shown. */
function Shown({ of }: { of: Explanation }) {
  return (
    <section className="panel flush" aria-labelledby="shown">
      <div className="panel-head">
        <h2 id="shown">What the answer shows</h2>
        <span className="muted small">{readText(of.window).replaceAll(" read", " would be read")}</span>
      </div>
      <div className="table-wrap">
        <table className="table">
          <tbody>
            {of.columns.map((column, i) => {
              const look = lookOf(column.decision);
              return (
                <tr key={i}>
                  <td className="mono strong">{column.name}</td>
                  <td className="mono small muted anywhere">{column.type}</td>
                  <td>
                    <span className={`badge ${TONES[look]}`}>
                      {maskWords(column.decision?.masks?.join(", ") ?? look)}
                    </span>
                  </td>
                  <td>
                    <Reasons reasons={columnReasons(column.decision)} />
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

/** One topic of the query: by what it opens, which rows, and every field. */
function OneTable({ of }: { of: ExplainedTable }) {
  const hidden = of.fields.filter((f) => f.effect === "deny" || (f.mask && f.mask !== "MASK_NONE"));
  return (
    <section className="panel flush" aria-label={of.dataset}>
      <div className="panel-head">
        <h2>
          <Link to={referenceLink(of.dataset)}>{of.dataset}</Link>{" "}
          <span className={`badge ${of.effect === "deny" ? "bad" : "ok"}`}>
            {of.effect === "deny" ? "refused" : "opens"}
          </span>
        </h2>
        <Link
          className="button small"
          to={links.ask(of.dataset, of.effect === "deny" ? [] : hidden.map((f) => f.path))}
        >
          Request access
        </Link>
      </div>
      <div style={{ padding: "10px 14px" }} className="stack-s">
        <Reasons reasons={reasonList(of.reasons)} />
        {of.gaps.map((gap) => (
          <Notice key={gap} tone="warn">
            {gap}
          </Notice>
        ))}
        {of.filters.map((where) => (
          <p key={where} className="small">
            <span className="muted">Only rows where </span>
            <code>{where}</code>
          </p>
        ))}
      </div>
      <details open={of.fields.length <= 12}>
        <summary style={{ padding: "6px 14px" }}>
          {plural(of.fields.length, "field")}, {hidden.length} of them hidden or masked
        </summary>
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
              {[...hidden, ...of.fields.filter((f) => !hidden.includes(f))].map((field) => (
                <tr key={field.path}>
                  <td className="mono anywhere">{field.path}</td>
                  <td>
                    <span
                      className={`badge ${field.effect === "deny" ? "bad" : hidden.includes(field) ? "mask" : "ok"}`}
                    >
                      {field.effect === "deny"
                        ? "refused"
                        : hidden.includes(field)
                          ? maskWords(field.mask ?? "masked")
                          : "unmasked"}
                    </span>
                    {field.clearWhen && <div className="small">unmasked where {field.clearWhen}</div>}
                  </td>
                  <td>
                    <Reasons reasons={reasonList(field.reasons)} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </section>
  );
}
