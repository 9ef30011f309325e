import { Send } from "lucide-react";
import { useId, useState } from "react";
import { type ImpactAsked, useAnnounce } from "@/api/lineage";
import { ErrorNotice, Notice } from "@/components/Notice";
import type { Change } from "@/lib/impact";

const LONGEST = 200;

/** Notifies the owners of what a change affects, with a note; then states who was notified and who could not be. */
export function NotifyOwners({ asked, change }: { asked: ImpactAsked; change: Change | null }) {
  const id = useId();
  const [note, setNote] = useState("");
  const announce = useAnnounce(asked, change);
  const done = announce.data;
  const left = done?.owners.filter((owner) => !owner.notified) ?? [];
  return (
    <form
      className="stack-s"
      onSubmit={(event) => {
        event.preventDefault();
        announce.mutate(note);
      }}
    >
      <h3>Notify by Weir</h3>
      <p className="muted small" id={`${id}-hint`}>
        Each set of owners gets one message: how much of theirs is affected, a link to this impact, and your note.
      </p>
      <label htmlFor={id}>Note</label>
      <textarea
        id={id}
        rows={2}
        maxLength={LONGEST}
        value={note}
        placeholder="When, why, whom to ask"
        aria-describedby={`${id}-hint`}
        onChange={(event) => setNote(event.target.value)}
      />
      <div className="row">
        <button type="submit" className="button primary small" disabled={announce.isPending || done !== undefined}>
          <Send size={13} aria-hidden /> {announce.isPending ? "Notifying…" : "Notify the owners"}
        </button>
      </div>
      {announce.error && <ErrorNotice error={announce.error} />}
      {done && <Notice tone={left.length > 0 || done.messages === 0 ? "warn" : "ok"}>{done.text}</Notice>}
    </form>
  );
}
