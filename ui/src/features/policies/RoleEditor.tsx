// A role by form, beside its YAML: what would change, who gains and loses, then apply.
import { useState } from "react";
import type { DeclaredDocument } from "@/api/types";
import { TextField } from "@/components/TextField";
import { TextLines } from "@/components/TextLines";
import { FormBesideYaml } from "@/features/policies/FormBesideYaml";
import { NEW_ROLE, RIGHTS, type RoleForm, roleDocument, roleForm, roleProblems } from "@/lib/roleForm";
import { toYaml } from "@/lib/yaml";

export function RoleEditor({ known, onClose }: { known?: DeclaredDocument | undefined; onClose: () => void }) {
  const [form, setForm] = useState<RoleForm>(known ? roleForm(known) : NEW_ROLE);
  const set = (change: Partial<RoleForm>) => setForm({ ...form, ...change });
  return (
    <FormBesideYaml
      title={known ? `Change the role ${form.name}` : "Add a role"}
      problems={roleProblems(form)}
      yaml={toYaml(roleDocument(form, known))}
      onClose={onClose}
    >
      <TextField
        label="Name"
        value={form.name}
        onChange={(name) => set({ name })}
        placeholder="analyst"
        disabled={known !== undefined}
        required
      />
      <TextField label="Description" value={form.description} onChange={(description) => set({ description })} />
      <TextLines
        label="Datasets to read"
        value={form.read}
        onChange={(read) => set({ read })}
        placeholder={"prod/orders\nprod/clicks*\ntag:domain.sales"}
        hint="A line each: CLUSTER/TOPIC, * matches anything, or tag:NAME; after a space the path of one field. Masks still apply."
      />
      <TextLines
        label="Row filters"
        value={form.rowFilters}
        onChange={(rowFilters) => set({ rowFilters })}
        placeholder="prod/orders region = 'EU'"
        hint="A line each: the dataset, a space, the condition that a row has to satisfy"
      />
      <label className="row-nowrap">
        <input
          type="checkbox"
          checked={form.seesUnscanned}
          onChange={(event) => set({ seesUnscanned: event.target.checked })}
        />
        <span>See fields that no scan has looked at</span>
      </label>
      <TextField
        label="Inherited roles"
        value={form.inherits}
        onChange={(inherits) => set({ inherits })}
        placeholder="analyst, reader"
        hint="Holders have what these roles have, too; commas between"
      />
      <Rights chosen={form.permissions} onChange={(permissions) => set({ permissions })} />
    </FormBesideYaml>
  );
}

function Rights({
  chosen,
  onChange,
}: {
  chosen: readonly string[];
  onChange: (permissions: readonly string[]) => void;
}) {
  return (
    <fieldset className="stack-s plain-set">
      <legend>Rights in Weir</legend>
      <span className="muted small">None of them opens data.</span>
      {Object.entries(RIGHTS).map(([right, meaning]) => (
        <label key={right} className="row-nowrap">
          <input
            type="checkbox"
            checked={chosen.includes(right)}
            onChange={(event) =>
              onChange(event.target.checked ? [...chosen, right] : chosen.filter((each) => each !== right))
            }
          />
          <span>
            <code>{right}</code> <span className="muted small">{meaning}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
