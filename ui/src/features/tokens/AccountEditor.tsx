// A service account by form: who answers for it, and what it may do.
import { useId, useState } from "react";
import { useApply, useDeclared } from "@/api/declared";
import type { DeclaredDocument } from "@/api/types";
import { Modal } from "@/components/Modal";
import { ErrorNotice } from "@/components/Notice";
import { TextField } from "@/components/TextField";
import { type AccountForm, accountDocument, accountForm, accountNameProblem } from "@/lib/serviceAccounts";

export function AccountEditor({
  of,
  name: given = "",
  onClose,
  onAdded,
}: {
  of: DeclaredDocument | null;
  name?: string;
  onClose: () => void;
  onAdded: (name: string) => void;
}) {
  const roles = useDeclared("Role").data ?? [];
  const people = useDeclared("User").data;
  const programs = useDeclared("ServiceAccount").data;
  const apply = useApply();
  const [form, setForm] = useState<AccountForm>({ ...accountForm(of), ...(given ? { name: given } : {}) });
  const set = (part: Partial<AccountForm>) => setForm((now) => ({ ...now, ...part }));
  const taken = [...(people ?? []), ...(programs ?? [])].map((each) => each.metadata.name);
  const wrong = of ? null : accountNameProblem(form.name, taken);
  // An account is not written over another: what there is has to be known first.
  const known = people !== undefined && programs !== undefined;
  const offered = [...new Set([...roles.map((r) => r.metadata.name), ...form.roles])].sort();
  const owner = form.owner.trim();
  return (
    <Modal open onClose={onClose} title={of ? `Change ${form.name}` : "Add a service account"}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          const document = accountDocument(form, of);
          // JSON is YAML too, and quotes everything that needs it.
          apply.mutate(
            { yaml: JSON.stringify(document), dryRun: false },
            { onSuccess: () => (of ? onClose() : onAdded(document.metadata.name)) },
          );
        }}
      >
        {!of && (
          <TextField
            label="Name"
            required
            value={form.name}
            onChange={(name) => set({ name })}
            problem={wrong}
            hint="Nobody else signs in under it."
          />
        )}
        <TextField
          label="Owner"
          required
          value={form.owner}
          onChange={(owner) => set({ owner })}
          hint="Who answers for it: a user or a group."
        />
        <TextField label="Description" value={form.description} onChange={(description) => set({ description })} />
        <RolePicker offered={offered} chosen={form.roles} onChange={(chosen) => set({ roles: chosen })} />
        <TextField
          label="Groups"
          value={form.groups}
          onChange={(groups) => set({ groups })}
          hint="Words with commas between."
        />
        {of && (
          <label className="row">
            <input type="checkbox" checked={form.disabled} onChange={(e) => set({ disabled: e.target.checked })} />
            disabled: all its tokens end for good, with queries and views that run as it
          </label>
        )}
        {apply.isError && <ErrorNotice error={apply.error} />}
        <div className="actions">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button
            type="submit"
            className="button primary"
            disabled={apply.isPending || !form.name.trim() || !owner || wrong !== null || !known}
          >
            {of ? "Save" : "Add, then make a token"}
          </button>
        </div>
      </form>
    </Modal>
  );
}

function RolePicker({
  offered,
  chosen,
  onChange,
}: {
  offered: string[];
  chosen: string[];
  onChange: (roles: string[]) => void;
}) {
  const hint = useId();
  return (
    <fieldset className="field" style={{ border: 0, padding: 0, margin: 0 }} aria-describedby={hint}>
      <legend className="strong" style={{ padding: 0 }}>
        Roles
      </legend>
      <span id={hint} className="hint">
        {offered.length === 0 ? "No role is declared yet." : "An account that keeps the directory needs none."}
      </span>
      <ul className="picker">
        {offered.map((role) => (
          <li key={role}>
            <label className="row">
              <input
                type="checkbox"
                checked={chosen.includes(role)}
                onChange={(e) => onChange(e.target.checked ? [...chosen, role] : chosen.filter((r) => r !== role))}
              />
              {role}
            </label>
          </li>
        ))}
      </ul>
    </fieldset>
  );
}
