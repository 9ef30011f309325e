// A contract by form: begun from what scans saw, or one that is declared; each field is promised or not, with few rules.
import { type FormEvent, useState } from "react";
import { useSearchParams } from "react-router";
import { useContractDraft } from "@/api/contracts";
import type { DeclaredDocument } from "@/api/types";
import { Answer } from "@/components/Answer";
import { TextField } from "@/components/TextField";
import { PromisedFields } from "@/features/contracts/PromisedFields";
import { FormBesideYaml } from "@/features/policies/FormBesideYaml";
import { type ContractForm, contractDocument, contractForm, contractProblems, STATUSES } from "@/lib/contractForm";
import { toYaml } from "@/lib/yaml";

/** On the page of declared documents: of a declared contract, or of a dataset that is asked for first. */
export function ContractEditor({ known, onClose }: { known?: DeclaredDocument | undefined; onClose: () => void }) {
  const [params] = useSearchParams();
  const [dataset, setDataset] = useState(params.get("of") ?? "");
  const [chosen, setChosen] = useState(params.get("of"));
  if (known) return <Editor base={known.spec} known={known} name={String(known.metadata.name)} onClose={onClose} />;
  if (chosen) return <NewContract dataset={chosen} onClose={onClose} />;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChosen(dataset.trim());
  };
  return (
    <form className="panel stack" aria-label="Add a contract" onSubmit={submit}>
      <TextField
        label="Dataset"
        value={dataset}
        onChange={setDataset}
        placeholder="prod/orders"
        hint="The form begins with what scans saw of it"
        required
      />
      <div className="row">
        <button type="submit" className="button primary" disabled={!dataset.trim()}>
          Continue
        </button>
        <button type="button" className="button" onClick={onClose}>
          Close
        </button>
      </div>
    </form>
  );
}

/** Begun from what the last scan saw of a dataset. */
export function NewContract({ dataset, onClose }: { dataset: string; onClose: () => void }) {
  const draft = useContractDraft(dataset);
  return (
    <Answer of={draft} lines={6}>
      {({ name, document }) => <Editor base={{ ...document, status: "active" }} name={name} onClose={onClose} />}
    </Answer>
  );
}

function Editor({
  base,
  known,
  name,
  onClose,
}: {
  base: Record<string, unknown>;
  known?: DeclaredDocument;
  name: string;
  onClose: () => void;
}) {
  const [form, setForm] = useState<ContractForm>(() => contractForm(base, name));
  const set = (change: Partial<ContractForm>) => setForm({ ...form, ...change });
  const problems = contractProblems(form);
  return (
    <FormBesideYaml
      title={known ? `Change the contract ${name}` : "Promise what was seen"}
      problems={Object.values(problems)}
      yaml={toYaml(contractDocument(form, base, known))}
      onClose={onClose}
    >
      <TextField
        label="Name"
        value={form.name}
        onChange={(given) => set({ name: given })}
        problem={problems.name ?? null}
        disabled={known !== undefined}
        required
      />
      <div className="row-top">
        <TextField
          label="Version"
          value={form.version}
          onChange={(version) => set({ version })}
          problem={problems.version ?? null}
          placeholder="1.0.0"
        />
        <div className="field">
          <label htmlFor="contract-status">Status</label>
          <select
            id="contract-status"
            className="select"
            value={form.status}
            onChange={(event) => set({ status: event.target.value })}
          >
            {[...new Set([...STATUSES, form.status])].map((status) => (
              <option key={status}>{status}</option>
            ))}
          </select>
          <span className="hint">Only breaches of an active one are reported</span>
        </div>
      </div>
      <TextField
        label="Promised by"
        value={form.promisedBy}
        onChange={(promisedBy) => set({ promisedBy })}
        placeholder="shop"
      />
      <TextField label="What the data is for" value={form.purpose} onChange={(purpose) => set({ purpose })} />
      <TextField
        label="Age of the newest record, at most"
        value={form.latency}
        onChange={(latency) => set({ latency })}
        problem={problems.latency ?? null}
        placeholder="30 m"
      />
      <TextField
        label="Records are kept for"
        value={form.retention}
        onChange={(retention) => set({ retention })}
        problem={problems.retention ?? null}
        placeholder="7 d"
      />
      <TextField
        label="Check new records every"
        value={form.checkEvery}
        onChange={(checkEvery) => set({ checkEvery })}
        problem={problems.checkEvery ?? null}
        placeholder="1m"
        hint="Empty: with each scan"
      />
      <PromisedFields of={form.fields} problems={problems} onChange={(fields) => set({ fields })} />
    </FormBesideYaml>
  );
}
