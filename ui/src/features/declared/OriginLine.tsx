import { GitCommitHorizontal } from "lucide-react";
import type { DocumentOrigin } from "@/api/types";
import { When } from "@/components/When";

/** Where a document was applied from, and whether it is still as it was applied. */
export function OriginLine({ of }: { of: DocumentOrigin | undefined }) {
  if (!of) return <p className="muted small">Not from git: declared on a page or by a program.</p>;
  return (
    <p className="row small">
      <GitCommitHorizontal size={14} aria-hidden />
      <span className={`badge ${of.changed || of.dirty ? "warn" : "ok"}`}>{stateOf(of)}</span>
      <span className="muted anywhere">
        commit{" "}
        <span className="mono" title={of.commit}>
          {of.commit.slice(0, 8)}
        </span>
        , <span className="mono">{of.path}</span> in {of.repository}, applied {of.by && <>by {of.by} </>}
        <When at={of.at} />
        {of.changed && of.changedAt && (
          <>
            ; changed {of.changedBy && <>by {of.changedBy} </>}
            <When at={of.changedAt} />
          </>
        )}
      </span>
    </p>
  );
}

export function stateOf(of: Pick<DocumentOrigin, "changed" | "dirty">): string {
  if (of.changed) return "changed since";
  return of.dirty ? "not committed" : "as in git";
}
