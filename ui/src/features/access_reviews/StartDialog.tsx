// Starts an access review: a declared one, or one whose terms are given here. Its items are the rights of that moment.
import { type FormEvent, useState } from "react";
import { useNavigate } from "react-router";
import { type ReviewStart, useStartReview } from "@/api/accessReviews";
import { useDeclared } from "@/api/declared";
import { Answer } from "@/components/Answer";
import { Modal } from "@/components/Modal";
import { ErrorNotice } from "@/components/Notice";
import { Segments } from "@/components/Segments";
import { TextField } from "@/components/TextField";
import { links } from "@/lib/links";
import { NEW_REVIEW, type ReviewForm, reviewProblems, reviewSpec } from "@/lib/reviewForm";

/** The terms are given here, instead of a declared review's. */
const NEW = "";

export function StartDialog({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const declared = useDeclared("AccessReview");
  const start = useStartReview();
  const begin = (body: ReviewStart) => start.mutate(body, { onSuccess: ({ id }) => navigate(links.accessReview(id)) });
  return (
    <Modal open onClose={onClose} title="Start a review" lead="Its items are the rights as they are now.">
      <Answer of={declared} lines={2}>
        {(documents) => (
          <Start
            names={documents.map(({ metadata }) => String(metadata.name))}
            busy={start.isPending}
            error={start.isError ? start.error : null}
            onStart={begin}
            onClose={onClose}
          />
        )}
      </Answer>
    </Modal>
  );
}

function Start({
  names,
  busy,
  error,
  onStart,
  onClose,
}: {
  /** Of the declared reviews. */
  names: string[];
  busy: boolean;
  error: Error | null;
  onStart: (body: ReviewStart) => void;
  onClose: () => void;
}) {
  const [chosen, setChosen] = useState(names[0] ?? NEW);
  const [form, setForm] = useState<ReviewForm>(NEW_REVIEW);
  const problems = chosen === NEW ? reviewProblems(form) : [];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onStart(
      chosen === NEW
        ? { review: null, name: form.name.trim(), spec: reviewSpec(form) }
        : { review: chosen, name: null, spec: null },
    );
  };
  return (
    <form className="stack" onSubmit={submit}>
      {names.length > 0 && (
        <div className="field">
          <label htmlFor="review">Review</label>
          <select id="review" className="select" value={chosen} onChange={(event) => setChosen(event.target.value)}>
            {names.map((name) => (
              <option key={name}>{name}</option>
            ))}
            <option value={NEW}>A new one …</option>
          </select>
        </div>
      )}
      {chosen === NEW && <Terms form={form} set={(change) => setForm({ ...form, ...change })} />}
      {problems.length > 0 && (
        <ul className="muted small">
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      {error && <ErrorNotice error={error} />}
      <div className="actions">
        <button type="button" className="button" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" className="button primary" disabled={busy || problems.length > 0}>
          {busy ? "One moment …" : "Start"}
        </button>
      </div>
    </form>
  );
}

const ITEMS = [
  ["grants", "Grants"],
  ["roles", "Roles that people hold"],
  ["owners", "Owners of datasets"],
] as const;

function Terms({ form, set }: { form: ReviewForm; set: (change: Partial<ReviewForm>) => void }) {
  return (
    <>
      <TextField label="Name" value={form.name} onChange={(name) => set({ name })} placeholder="leavers" required />
      <Segments
        label="Whose rights"
        value={form.scope}
        onChange={(scope) => set({ scope })}
        options={[
          { value: "personal", text: "on personal data" },
          { value: "all", text: "on everything" },
          { value: "named", text: "on what I name" },
        ]}
      />
      {form.scope === "named" && (
        <>
          <TextField
            label="Datasets"
            value={form.datasets}
            onChange={(datasets) => set({ datasets })}
            placeholder="prod/orders, prod/pay*"
            hint="* matches anything"
          />
          <TextField
            label="People"
            value={form.people}
            onChange={(people) => set({ people })}
            placeholder="ana, otto"
            hint="With both, their rights on these datasets"
          />
        </>
      )}
      <fieldset className="stack-s plain-set">
        <legend>What is reviewed</legend>
        {ITEMS.map(([item, text]) => (
          <label key={item} className="row-nowrap">
            <input type="checkbox" checked={form[item]} onChange={(event) => set({ [item]: event.target.checked })} />
            {text}
          </label>
        ))}
      </fieldset>
      <label className="row-nowrap">
        <input
          type="checkbox"
          checked={form.ownersDecide}
          onChange={(event) => set({ ownersDecide: event.target.checked })}
        />
        The owners of each dataset decide
      </label>
      <TextField
        label="Others who decide"
        value={form.deciders}
        onChange={(deciders) => set({ deciders })}
        placeholder="petra, group:privacy, role:officer"
      />
      <TextField label="Days to decide" value={form.days} onChange={(days) => set({ days })} />
      <Segments
        label="What nobody confirms"
        value={form.onNoAnswer}
        onChange={(onNoAnswer) => set({ onNoAnswer })}
        options={[
          { value: "keep", text: "stays" },
          { value: "revoke", text: "is revoked" },
        ]}
      />
    </>
  );
}
