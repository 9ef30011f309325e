// A form and, beside it, the document that it makes: what is missing first, then what would change and for whom.
import { type ReactNode, useId } from "react";
import { ApplyBox } from "@/features/policies/ApplyBox";
import "@/styles/topic.css";

export function FormBesideYaml({
  title,
  problems,
  yaml,
  onClose,
  children,
}: {
  title: string;
  /** Why the form says too little yet. */
  problems: readonly string[];
  yaml: string;
  onClose: () => void;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section className="panel stack" aria-labelledby={id}>
      <div className="spread">
        <h2 id={id}>{title}</h2>
        <button type="button" className="button small" onClick={onClose}>
          Close
        </button>
      </div>
      <div className="columns-even">
        <div className="stack">{children}</div>
        <div className="stack">
          {problems.length > 0 ? (
            <>
              <ul className="muted small">
                {problems.map((problem) => (
                  <li key={problem}>{problem}</li>
                ))}
              </ul>
              <pre className="small">{yaml}</pre>
            </>
          ) : (
            <ApplyBox key={yaml} text={yaml} />
          )}
        </div>
      </div>
    </section>
  );
}
