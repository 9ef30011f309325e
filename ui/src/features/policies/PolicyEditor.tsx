// A policy by form, beside its YAML: what would change, who gains and loses, then apply.
import { useState } from "react";
import { useMasks } from "@/api/declared";
import type { DeclaredDocument, KnownMask } from "@/api/types";
import { ErrorNotice } from "@/components/Notice";
import { Segments } from "@/components/Segments";
import { TextField } from "@/components/TextField";
import { TextLines } from "@/components/TextLines";
import { FormBesideYaml } from "@/features/policies/FormBesideYaml";
import { maskNames, parameterOf } from "@/lib/masks";
import {
  NEW_POLICY,
  type PolicyForm,
  type PolicyType,
  policyDocument,
  policyForm,
  policyProblems,
} from "@/lib/policyForm";
import { toYaml } from "@/lib/yaml";

const TYPES: { value: PolicyType; text: string }[] = [
  { value: "mask", text: "Mask" },
  { value: "access", text: "Access rule" },
  { value: "row-filter", text: "Row filter" },
];

interface Editor {
  known?: DeclaredDocument | undefined;
  onClose: () => void;
}

export function PolicyEditor(props: Editor) {
  const masks = useMasks();
  if (masks.error) return <ErrorNotice error={masks.error} />;
  return masks.data ? <WithMasks {...props} masks={masks.data} /> : null;
}

function WithMasks({ known, onClose, masks }: Editor & { masks: KnownMask[] }) {
  const [form, setForm] = useState<PolicyForm>(known ? policyForm(known, masks) : NEW_POLICY);
  const set = (change: Partial<PolicyForm>) => setForm({ ...form, ...change });
  return (
    <FormBesideYaml
      title={known ? `Change the policy ${form.name}` : "Add a policy"}
      problems={policyProblems(form, masks)}
      yaml={toYaml(policyDocument(form, masks, known))}
      onClose={onClose}
    >
      <Segments label="Type of the policy" value={form.type} options={TYPES} onChange={(type) => set({ type })} />
      <TextField
        label="Name"
        value={form.name}
        onChange={(name) => set({ name })}
        placeholder="mask-email"
        disabled={known !== undefined}
        required
      />
      <TextField label="Description" value={form.description} onChange={(description) => set({ description })} />
      <Match form={form} set={set} />
      {form.type === "mask" && <MaskFields form={form} set={set} masks={masks} />}
      {form.type === "row-filter" && (
        <TextField
          label="Rows that may be seen"
          value={form.where}
          onChange={(where) => set({ where })}
          placeholder="region = 'EU'"
          mono
        />
      )}
      {form.type === "access" ? <Requires form={form} set={set} /> : <People form={form} set={set} />}
    </FormBesideYaml>
  );
}

interface Part {
  form: PolicyForm;
  set: (change: Partial<PolicyForm>) => void;
}

function Match({ form, set }: Part) {
  return (
    <>
      <TextField
        label="Fields with these tags"
        value={form.tags}
        onChange={(tags) => set({ tags })}
        placeholder="EMAIL_ADDRESS, PII"
        hint="Kinds of personal data, or tags of your own; commas between"
      />
      <TextField
        label="Datasets"
        value={form.datasets}
        onChange={(datasets) => set({ datasets })}
        placeholder="prod/orders, prod/pay*"
        hint="* matches anything"
      />
      {form.type !== "row-filter" && (
        <TextLines
          label="Fields"
          value={form.fields}
          onChange={(fields) => set({ fields })}
          placeholder="prod/orders value.customer.email"
          hint="A line each: the dataset, a space, the path. One entry that fits is enough."
          rows={2}
        />
      )}
    </>
  );
}

function MaskFields({ form, set, masks }: Part & { masks: KnownMask[] }) {
  const parameter = parameterOf(masks, form.mask);
  return (
    <>
      <div className="field">
        <label htmlFor="policy-mask">Mask</label>
        <select
          id="policy-mask"
          className="select"
          value={form.mask}
          onChange={(event) => set({ mask: event.target.value, parameter: "" })}
        >
          {maskNames(masks, form.mask).map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </div>
      {parameter && (
        <TextField
          label={parameter.name}
          value={form.parameter}
          onChange={(given) => set({ parameter: given })}
          hint={parameter.hint}
        />
      )}
      {form.mask === "CUSTOM" && (
        <TextField
          label="Expression"
          value={form.expression}
          onChange={(expression) => set({ expression })}
          placeholder="substring_index({col}, '?', 1)"
          mono
        />
      )}
    </>
  );
}

function People({ form, set }: Part) {
  return (
    <>
      <TextField
        label="For whom"
        value={form.who}
        onChange={(who) => set({ who })}
        placeholder="ana, group:analysts, role:reader"
        hint="Empty: everyone"
      />
      <TextField
        label="Except"
        value={form.except}
        onChange={(except) => set({ except })}
        placeholder="group:fraud, purpose:fraud-check"
      />
    </>
  );
}

function Requires({ form, set }: Part) {
  return (
    <>
      <label className="row">
        <input type="checkbox" checked={form.grant} onChange={(event) => set({ grant: event.target.checked })} />{" "}
        Reading requires a grant
      </label>
      <TextField
        label="Purposes"
        value={form.purposes}
        onChange={(purposes) => set({ purposes })}
        placeholder="fraud, reporting"
        hint="The grant must carry one of them, and the query must state it"
      />
    </>
  );
}
