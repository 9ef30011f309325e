import { useState } from "react";
import { type Applied, useApply } from "@/api/declared";
import { ErrorNotice, Notice } from "@/components/Notice";
import { sentence } from "@/lib/subject";

/** YAML documents: check what they would change, then apply them. */
export function ApplyBox() {
  const [yaml, setYaml] = useState("");
  const [checked, setChecked] = useState<{ yaml: string; answer: Applied; dryRun: boolean } | null>(null);
  const apply = useApply();
  const run = (dryRun: boolean) =>
    apply.mutate({ yaml, dryRun }, { onSuccess: (answer) => setChecked({ yaml, answer, dryRun }) });
  return (
    <section className="panel stack" aria-label="Try or apply a change">
      <div className="field">
        <label htmlFor="yaml">Documents (YAML)</label>
        <textarea
          id="yaml"
          className="textarea mono"
          rows={10}
          value={yaml}
          spellCheck={false}
          placeholder={"apiVersion: weir/v1\nkind: Policy\nmetadata: {name: mask-email}\nspec: …"}
          onChange={(e) => setYaml(e.target.value)}
        />
      </div>
      {apply.isError && <ErrorNotice error={apply.error} />}
      {checked && (
        <Notice tone={checked.dryRun ? "info" : "ok"}>
          <p>{checked.dryRun ? "This would happen:" : "Done:"}</p>
          <ul className="reasons small">
            {checked.answer.changes.map((change) => (
              <li key={`${change.kind} ${change.name}`}>
                <span className="anywhere">
                  <strong>{change.action}</strong> {change.kind} {change.name}{" "}
                  {Boolean(change.diff) && <span className="muted">{sentence(change.diff)}</span>}
                </span>
              </li>
            ))}
          </ul>
        </Notice>
      )}
      <div className="row">
        <button type="button" className="button" disabled={apply.isPending || !yaml.trim()} onClick={() => run(true)}>
          Check
        </button>
        <button
          type="button"
          className="button primary"
          disabled={apply.isPending || !checked?.dryRun || checked.yaml !== yaml}
          title="Check it first"
          onClick={() => run(false)}
        >
          Apply
        </button>
      </div>
    </section>
  );
}
