// Operating a view, for those who may.
import { useEffect, useState } from "react";
import { useNavigate } from "react-router";
import { useDeleteDeclared } from "@/api/declared";
import type { View } from "@/api/types";
import { type Action, useOperateView, useRemoval, useViewDiff } from "@/api/views";
import { Answer } from "@/components/Answer";
import { Loading } from "@/components/Loading";
import { Modal } from "@/components/Modal";
import { ErrorNotice } from "@/components/Notice";
import { When } from "@/components/When";
import { DiffView } from "@/features/views/DiffView";
import { links } from "@/lib/links";

export function ViewActions({ view }: { view: View }) {
  const operate = useOperateView(view.name);
  const [asking, setAsking] = useState<"compare" | "rebuild" | "delete" | null>(null);
  if (!view.may.operate) return null;
  const run = (action: Action) => operate.mutate({ action });
  const close = () => setAsking(null);
  return (
    <>
      {view.state === "paused" ? (
        <Button text="Resume" onClick={() => run("resume")} />
      ) : (
        <Button text="Pause" onClick={() => run("pause")} />
      )}
      <Button text="Restart" onClick={() => run("restart")} />
      <Button text="Compare" onClick={() => setAsking("compare")} />
      <Button text="Rebuild" onClick={() => setAsking("rebuild")} />
      <Button text="Delete" onClick={() => setAsking("delete")} danger />
      {operate.isError && <ErrorNotice error={operate.error} />}
      <Modal open={asking === "compare"} onClose={close} title={`What would be built of ${view.name}`}>
        <Compare name={view.name} />
      </Modal>
      <Modal open={asking === "rebuild"} onClose={close} title={`Rebuild ${view.name}`}>
        <Rebuild view={view} onDone={close} />
      </Modal>
      <Modal open={asking === "delete"} onClose={close} title={`Delete ${view.name}`}>
        <Delete view={view} />
      </Modal>
    </>
  );
}

function Button({ text, onClick, danger = false }: { text: string; onClick: () => void; danger?: boolean }) {
  return (
    <button type="button" className={`button ${danger ? "danger" : ""}`} onClick={onClick}>
      {text}
    </button>
  );
}

function Compare({ name }: { name: string }) {
  const { mutate, ...diff } = useViewDiff();
  useEffect(() => mutate({ name }), [mutate, name]);
  if (diff.isError) return <ErrorNotice error={diff.error} />;
  return diff.data ? <DiffView of={diff.data} /> : <Loading lines={3} label="Comparing" />;
}

function Rebuild({ view, onDone }: { view: View; onDone: () => void }) {
  const operate = useOperateView(view.name);
  const [from, setFrom] = useState("");
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        operate.mutate({ action: "rebuild", from: from.trim() || null }, { onSuccess: onDone });
      }}
    >
      <p>Another generation is built beside this one. Readers get it when it has caught up.</p>
      <div className="field">
        <label htmlFor="rebuild-from">From</label>
        <input
          id="rebuild-from"
          className="input mono"
          placeholder="as declared; earliest, latest, 2026-11-20T00:00:00Z"
          value={from}
          onChange={(event) => setFrom(event.target.value)}
        />
      </div>
      {operate.isError && <ErrorNotice error={operate.error} />}
      <div className="row">
        <button type="submit" className="button primary" disabled={operate.isPending}>
          Rebuild
        </button>
      </div>
    </form>
  );
}

function Delete({ view }: { view: View }) {
  const removal = useRemoval(view.name, true);
  const remove = useDeleteDeclared();
  const navigate = useNavigate();
  return (
    <Answer of={removal} lines={3}>
      {(found) => (
        <div className="stack">
          <p>{found.text}</p>
          {found.readers.length > 0 && (
            <ul className="small">
              {found.readers.map((reader) => (
                <li key={reader.user}>
                  {reader.user}, last <When at={reader.last} />
                </li>
              ))}
            </ul>
          )}
          {found.views.length > 0 && (
            <p>
              Views over it fail without it: <strong>{found.views.join(", ")}</strong>.
            </p>
          )}
          {remove.isError && <ErrorNotice error={remove.error} />}
          <div className="row">
            <button
              type="button"
              className="button danger"
              disabled={remove.isPending}
              onClick={() =>
                remove.mutate({ kind: "View", name: view.name }, { onSuccess: () => void navigate(links.views) })
              }
            >
              Delete the view and its rows
            </button>
          </div>
        </div>
      )}
    </Answer>
  );
}
