import { useState } from "react";
import { type Applied, useApply, useSimulate } from "@/api/declared";
import { ErrorNotice, Notice } from "@/components/Notice";
import { Simulation } from "@/features/policies/Simulation";
import { changedLines } from "@/lib/changedLines";
import { sentence } from "@/lib/subject";

/** Whether the documents can change who sees what: contracts alone cannot, and those who promise may not simulate. */
function changesAccess(yaml: string): boolean {
  const kinds = [...yaml.matchAll(/^kind:\s*["']?(\w+)/gm)].map(([, kind]) => kind);
  return kinds.length === 0 || kinds.some((kind) => kind !== "Contract");
}

/** YAML documents: check what they would change and for whom, then apply them. */
export function ApplyBox({ text, onApplied }: { text: string; onApplied?: () => void }) {
  const [yaml, setYaml] = useState(text);
  const [checked, setChecked] = useState<{ yaml: string; answer: Applied; dryRun: boolean } | null>(null);
  const [allowUnknown, setAllowUnknown] = useState(false);
  const apply = useApply();
  const simulate = useSimulate();
  const run = (dryRun: boolean) => {
    setChecked(null);
    apply.mutate(
      { yaml, dryRun, allowUnknown: allowUnknown && !dryRun },
      {
        onSuccess: (answer) => {
          setChecked({ yaml, answer, dryRun });
          setAllowUnknown(false);
          if (dryRun && changesAccess(yaml)) simulate.mutate(yaml);
          else {
            simulate.reset();
            if (!dryRun) onApplied?.();
          }
        },
      },
    );
  };
  const warnings = checked?.answer.changes.flatMap((change) =>
    (change.warnings ?? []).map((each) => ({ ...each, of: `${change.kind} ${change.name}` })),
  );
  const refused = checked?.dryRun && warnings?.some((each) => each.refused);
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
      {warnings && warnings.length > 0 && (
        <Notice tone="warn">
          <p>Names that nothing has now:</p>
          <ul className="reasons small">
            {warnings.map((each) => (
              <li key={`${each.of} ${each.field} ${each.name}`} className="anywhere">
                {each.of}: {each.message}
              </li>
            ))}
          </ul>
          {refused && (
            <label className="row">
              <input type="checkbox" checked={allowUnknown} onChange={(e) => setAllowUnknown(e.target.checked)} />
              Apply names that look like typing errors
            </label>
          )}
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
          disabled={apply.isPending || !checked?.dryRun || checked.yaml !== yaml || (refused && !allowUnknown)}
          title="Check it first"
          onClick={() => run(false)}
        >
          Apply
        </button>
      </div>
    </section>
  );
}
