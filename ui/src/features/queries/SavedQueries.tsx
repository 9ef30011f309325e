// Saved queries: one's own, and those that others share.
import { Trash2 } from "lucide-react";
import { useState } from "react";
import { Link } from "react-router";
import { useDeleteQuery, useSavedQueries } from "@/api/savedQueries";
import type { SavedQuery } from "@/api/types";
import { Answer } from "@/components/Answer";
import { Empty } from "@/components/Empty";
import { Modal } from "@/components/Modal";
import { ErrorNotice } from "@/components/Notice";
import { When } from "@/components/When";
import { links } from "@/lib/links";
import { arrows } from "@/lib/listKeys";

export function SavedQueries({ user, onChoose }: { user: string | undefined; onChoose: (query: SavedQuery) => void }) {
  const saved = useSavedQueries();
  return (
    <Answer of={saved}>
      {(list) =>
        list.length === 0 ? (
          <div className="panel">
            <Empty title="No saved queries">
              <p>Save a statement to keep it here; share it with users, groups, or everyone.</p>
            </Empty>
          </div>
        ) : (
          <section className="panel flush" aria-label="Saved queries">
            <ul className="list" onKeyDown={arrows("[data-row]", null)}>
              {list.map((query) => (
                <li key={query.id} className="spread">
                  <span className="grow anywhere">
                    <Link
                      data-row
                      to={links.savedQuery(query.id)}
                      className="strong"
                      onClick={(event) => {
                        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
                        event.preventDefault();
                        onChoose(query);
                      }}
                    >
                      {query.name}
                    </Link>{" "}
                    {query.owner !== user && <span className="badge">of {query.owner}</span>}
                    {query.owner === user && shared(query) && <span className="badge accent">shared</span>}
                    {query.chart && <span className="badge">{query.chart.kind}</span>}
                    <div className="muted small clip" title={query.sql}>
                      {query.description || query.sql.replace(/\s+/g, " ")}
                    </div>
                  </span>
                  <span className="muted small">
                    <When at={query.updatedAt} />
                  </span>
                  {query.may.delete && <Delete of={query} />}
                </li>
              ))}
            </ul>
          </section>
        )
      }
    </Answer>
  );
}

const shared = ({ shared: by }: SavedQuery) => by.everyone || by.users.length + by.groups.length > 0;

function Delete({ of }: { of: SavedQuery }) {
  const [sure, setSure] = useState(false);
  const remove = useDeleteQuery();
  const close = () => {
    setSure(false);
    remove.reset();
  };
  return (
    <>
      <button
        type="button"
        className="button quiet small"
        aria-label={`Delete ${of.name}`}
        onClick={() => setSure(true)}
      >
        <Trash2 size={13} aria-hidden />
      </button>
      <Modal
        open={sure}
        onClose={close}
        title={`Delete the query ${of.name}?`}
        {...(shared(of) ? { lead: "Those it is shared with lose it too." } : {})}
      >
        {remove.isError && <ErrorNotice error={remove.error} />}
        <div className="actions">
          <button type="button" className="button" onClick={close}>
            Cancel
          </button>
          <button
            type="button"
            className="button danger"
            disabled={remove.isPending}
            onClick={() => remove.mutate(of.id)}
          >
            Delete
          </button>
        </div>
      </Modal>
    </>
  );
}
