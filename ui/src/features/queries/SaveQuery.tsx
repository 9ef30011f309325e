// Keeping a statement under a name, for oneself or to share.
import { useState } from "react";
import { type Kept, useSaveQuery } from "@/api/savedQueries";
import type { SavedQuery } from "@/api/types";
import { Modal } from "@/components/Modal";
import { ErrorNotice } from "@/components/Notice";
import { TextField } from "@/components/TextField";
import { ownersFromText } from "@/lib/declare";
import type { ChartAsked } from "@/lib/resultChart";

interface Given {
  sql: string;
  purpose: string;
  chart: ChartAsked | null;
  /** The saved query that is open; null for none. */
  opened: SavedQuery | null;
  onSaved: (query: SavedQuery) => void;
}

export function SaveQuery(given: Given) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="button" disabled={!given.sql.trim()} onClick={() => setOpen(true)}>
        Save
      </button>
      <Modal
        open={open}
        onClose={() => setOpen(false)}
        title="Save the query"
        lead="The statement is kept, never a row. Values that you write in it are kept too; write :name for a parameter, whose values are not."
      >
        <Form
          {...given}
          onSaved={(query) => {
            setOpen(false);
            given.onSaved(query);
          }}
        />
      </Modal>
    </>
  );
}

function peopleOf(query: SavedQuery | null): string {
  const shared = query?.shared;
  return [...(shared?.users ?? []), ...(shared?.groups ?? []).map((group) => `group:${group}`)].join(", ");
}

function Form({ sql, purpose, chart, opened, onSaved }: Given) {
  const save = useSaveQuery();
  const own = opened?.may.change ? opened : null;
  const [name, setName] = useState(own?.name ?? (opened ? `${opened.name}, copy` : ""));
  const [description, setDescription] = useState(opened?.description ?? "");
  const [everyone, setEveryone] = useState(own?.shared.everyone ?? false);
  const [people, setPeople] = useState(peopleOf(own));
  const put = (id: string | null) => {
    const with_ = ownersFromText(people);
    const body: Kept = {
      name: name.trim(),
      sql,
      purpose: purpose.trim() || null,
      description: description.trim(),
      shared: {
        everyone,
        users: with_.flatMap((one) => one.user ?? []),
        groups: with_.flatMap((one) => one.group ?? []),
      },
      chart,
    };
    save.mutate({ id, body }, { onSuccess: onSaved });
  };
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        put(own?.id ?? null);
      }}
    >
      <TextField label="Name" value={name} onChange={setName} required />
      <TextField label="Description" value={description} onChange={setDescription} />
      <label className="row">
        <input type="checkbox" checked={everyone} onChange={(event) => setEveryone(event.target.checked)} /> Everyone
        may open it
      </label>
      {!everyone && (
        <TextField
          label="Who may open it"
          value={people}
          onChange={setPeople}
          placeholder="otto, group:team-orders"
          hint="Nobody else when empty. Opening a query opens no data: each sees by their own access."
        />
      )}
      {save.isError && <ErrorNotice error={save.error} />}
      <div className="actions">
        {own && (
          <button type="button" className="button" disabled={save.isPending || !name.trim()} onClick={() => put(null)}>
            Save as another
          </button>
        )}
        <button type="submit" className="button primary" disabled={save.isPending || !name.trim()}>
          {own ? "Save the change" : "Save"}
        </button>
      </div>
    </form>
  );
}
