// A purpose by form, beside its YAML: what would change, who gains and loses, then apply.
import { useId, useState } from "react";
import { useDeclared } from "@/api/declared";
import type { DeclaredDocument } from "@/api/types";
import { TextField } from "@/components/TextField";
import { FormBesideYaml } from "@/features/policies/FormBesideYaml";
import {
  LEGAL_BASES,
  NEW_PURPOSE,
  type PurposeForm,
  purposeDocument,
  purposeForm,
  purposeProblems,
} from "@/lib/purposeForm";
import { toYaml } from "@/lib/yaml";

export function PurposeEditor({ known, onClose }: { known?: DeclaredDocument | undefined; onClose: () => void }) {
  const declared = useDeclared("Purpose").data ?? [];
  const [form, setForm] = useState<PurposeForm>(known ? purposeForm(known) : NEW_PURPOSE);
  const set = (change: Partial<PurposeForm>) => setForm({ ...form, ...change });
  const names = declared.map(({ metadata }) => String(metadata.name));
  const problems = purposeProblems(form, names, known !== undefined);
  const id = useId();
  const choices = (part: string) => `${id}-${part}`;
  return (
    <FormBesideYaml
      title={known ? `Change the purpose ${form.name}` : "Add a purpose"}
      problems={Object.values(problems)}
      yaml={toYaml(purposeDocument(form, known))}
      onClose={onClose}
    >
      <TextField
        label="Name"
        value={form.name}
        onChange={(name) => set({ name })}
        problem={form.name ? problems.name : null}
        placeholder="fraud.cards"
        disabled={known !== undefined}
        required
      />
      <TextField label="Title" value={form.title} onChange={(title) => set({ title })} placeholder="Card fraud" />
      <TextField label="Description" value={form.description} onChange={(description) => set({ description })} />
      <div className="field">
        <label htmlFor={choices("parent")}>Covered by</label>
        <select
          id={choices("parent")}
          className="select"
          value={form.parent}
          onChange={(event) => set({ parent: event.target.value })}
        >
          <option value="">no other purpose</option>
          {[...new Set([...names, form.parent])]
            .filter((name) => name && name !== form.name)
            .map((name) => (
              <option key={name}>{name}</option>
            ))}
        </select>
        <span className="hint">What names that purpose holds for this one, too</span>
      </div>
      <div className="field">
        <label htmlFor={choices("basis")}>Legal basis</label>
        <select
          id={choices("basis")}
          className="select"
          value={form.legalBasis}
          onChange={(event) => set({ legalBasis: event.target.value })}
        >
          <option value="">that of the purpose above, or none</option>
          {LEGAL_BASES.map((name) => (
            <option key={name} value={name}>
              {name.replaceAll("-", " ")}
            </option>
          ))}
        </select>
      </div>
      <TextField
        label="Retention"
        value={form.retention}
        onChange={(retention) => set({ retention })}
        problem={problems.retention ?? null}
        placeholder="90d"
        hint="How long data may be kept for it; shown in reports, nothing deletes by it"
      />
      <TextField
        label="Owner"
        value={form.owner}
        onChange={(owner) => set({ owner })}
        placeholder="group fraud-team"
        hint="Who answers for it, in words"
      />
      <label className="row-nowrap">
        <input
          type="checkbox"
          checked={form.deprecated}
          onChange={(event) => set({ deprecated: event.target.checked })}
        />
        <span>Deprecated: it takes no new access requests</span>
      </label>
    </FormBesideYaml>
  );
}
