// Rows by key: one key, the beginning of keys, or a condition; page by page.
import { useState } from "react";
import { Link } from "react-router";
import { ApiError } from "@/api/client";
import { type RowsAsked, useViewRows } from "@/api/views";
import { Empty } from "@/components/Empty";
import { Loading } from "@/components/Loading";
import { ErrorNotice, Notice } from "@/components/Notice";
import { ResultGrid } from "@/components/ResultGrid";
import { Segments } from "@/components/Segments";
import { plural } from "@/lib/format";
import { links } from "@/lib/links";
import { lagText } from "@/lib/views";

type By = "prefix" | "key" | "where";
const HINTS: Record<By, string> = {
  prefix: "how the key begins",
  key: 'one key; of several columns ["EU", 1]',
  where: "total >= 10 AND region = 'EU'",
};

/** `dataset`: what a request for access names, as CLUSTER/NAME; null before there is a result. */
export function RowsBrowser({ name, keyed, dataset }: { name: string; keyed: boolean; dataset: string | null }) {
  const [by, setBy] = useState<By>(keyed ? "prefix" : "where");
  const [text, setText] = useState("");
  const [asked, setAsked] = useState<RowsAsked>({});
  const [pages, setPages] = useState<string[]>([]);
  const cursor = pages.at(-1);
  const rows = useViewRows(name, { ...asked, ...(cursor ? { cursor } : {}) });
  const ask = () => {
    setPages([]);
    const wanted = text.trim();
    setAsked(wanted === "" ? {} : by === "key" ? { key: [wanted] } : { [by]: wanted });
  };
  return (
    <section className="stack-s" aria-label="Rows">
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault();
          ask();
        }}
      >
        <Segments
          label="Find rows by"
          value={by}
          onChange={setBy}
          options={
            keyed
              ? [
                  { value: "prefix", text: "Prefix" },
                  { value: "key", text: "Key" },
                  { value: "where", text: "Condition" },
                ]
              : [{ value: "where", text: "Condition" }]
          }
        />
        <input
          className="input mono grow"
          aria-label={`Rows by ${by}`}
          placeholder={HINTS[by]}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <button type="submit" className="button">
          Find
        </button>
      </form>
      {rows.isError && (
        <ErrorNotice error={rows.error}>
          {dataset && rows.error instanceof ApiError && rows.error.status === 403 && (
            <p>
              <Link to={links.ask(dataset)}>Request access</Link> to read its rows.
            </p>
          )}
        </ErrorNotice>
      )}
      {rows.isPending && <Loading lines={5} label="Reading rows" />}
      {rows.data && !rows.isError && (
        <>
          {rows.data.leftOut.length > 0 && <Notice>You may not see {rows.data.leftOut.join(", ")}.</Notice>}
          <div className="panel flush" aria-busy={rows.isFetching}>
            {rows.data.rows.length === 0 ? (
              <Empty title="No rows" />
            ) : (
              <ResultGrid table={`view ${name}`} columns={rows.data.columns as never} rows={rows.data.rows} />
            )}
          </div>
          <div className="spread">
            <span className="muted small">
              {plural(rows.data.rows.length, "row")} of generation {rows.data.generation},{" "}
              {lagText(rows.data.freshness)}
            </span>
            <span className="row">
              <button
                type="button"
                className="button small"
                disabled={pages.length === 0}
                onClick={() => setPages(pages.slice(0, -1))}
              >
                Previous
              </button>
              <button
                type="button"
                className="button small"
                disabled={!rows.data.next || rows.isFetching}
                onClick={() => rows.data?.next && setPages([...pages, rows.data.next])}
              >
                Next
              </button>
            </span>
          </div>
        </>
      )}
    </section>
  );
}
