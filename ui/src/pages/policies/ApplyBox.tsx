import { useState } from "react";
import { type Applied, useApply, useSimulate } from "@/api/declared";
import { ErrorNotice, Notice } from "@/components/Notice";
import { changedLines } from "@/lib/changedLines";
import { sentence } from "@/lib/subject";
import { Simulation } from "@/pages/policies/Simulation";

/** YAML documents: check what they would change and for whom, then apply them. */
export function ApplyBox({ text, onApplied }: { text: string; onApplied?: () => void }) {
  const [yaml, setYaml] = useState(text);
  const [checked, setChecked] = useState<{ yaml: string; answer: Applied; dryRun: boolean } | null>(null);
  const apply = useApply();
  const simulate = useSimulate();
  const run = (dryRun: boolean) => {
    setChecked(null);
    apply.mutate(
      { yaml, dryRun },
      {
        onSuccess: (answer) => {
          setChecked({ yaml, answer, dryRun });
          if (dryRun) simulate.mutate(yaml);
          else {
            simulate.reset();
            onApplied?.();
          }
        },
      },
    );
  };
  return (
    <section className="panel stack" aria-label="Try or apply a change">
      <div className="field">
        <label htmlFor="yaml">Documents (YAML)</label>
        <textarea
          id="yaml"
          className="textarea mono"
          rows={12}
          value={yaml}
          spellCheck={false}
          placeholder={"apiVersion: weir/v1\nkind: Policy\nmetadata: {name: mask-email}\nspec: …"}
          onChange={(e) => setYaml(e.target.value)}
        />
        <span className="hint">
          Check shows what would change and who would see more or less; nothing is written before Apply.
        </span>
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
                  {typeof change.diff !== "string" && Boolean(change.diff) && (
                    <span className="muted">{sentence(change.diff)}</span>
                  )}
                </span>
                {typeof change.diff === "string" && <pre className="muted">{changedLines(change.diff)}</pre>}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {simulate.isPending && <p className="muted">Asking every decision twice, before and after …</p>}
      {simulate.isError && <ErrorNotice error={simulate.error} />}
      {simulate.data && checked?.dryRun && <Simulation of={simulate.data} />}
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
