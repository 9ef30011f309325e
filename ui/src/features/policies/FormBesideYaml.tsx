// A form and, beside it, the document that it makes: what is missing first, then what would change and for whom.
import { type ReactNode, useId } from "react";
import { CopyButton } from "@/components/CopyButton";
import { ApplyBox } from "@/features/policies/ApplyBox";
import { useMay } from "@/lib/may";
import "@/styles/topic.css";

export function FormBesideYaml({
  title,
  problems,
  yaml,
  preview,
  mayApply = true,
  onApplied,
  onClose,
  children,
}: {
  title: string;
  /** Why the form says too little yet. */
  problems: readonly string[];
  yaml: string;
  /** What would come of it, beyond what a check shows. */
  preview?: ReactNode;
  /** Others get the document, to send it to who may. */
  mayApply?: boolean;
  onApplied?: () => void;
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
          ) : mayApply ? (
            <>
              {preview}
              <ApplyBox key={yaml} text={yaml} {...(onApplied ? { onApplied } : {})} />
            </>
          ) : (
            <ToSend yaml={yaml} />
          )}
        </div>
      </div>
    </section>
  );
}

function ToSend({ yaml }: { yaml: string }) {
  const { who } = useMay();
  return (
    <>
      <p className="muted small">
        Declaring it needs the permission to manage: {who("manage")}. Send them this document.
      </p>
      <pre className="small">{yaml}</pre>
      <div>
        <CopyButton text={yaml} what="document" />
      </div>
    </>
  );
}
