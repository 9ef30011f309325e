// One decision on detections: confirm, reject, or "not this, it is X"; with a reason, and a way back.
import { Check, X } from "lucide-react";
import { useState } from "react";
import { type FoundAt, type Outcome, useReviewMany } from "@/api/classifications";
import type { ReviewState } from "@/api/types";
import { ReasonDialog } from "@/components/ReasonDialog";
import { entityWords, kindsToChoose } from "@/lib/entityWords";
import { plural } from "@/lib/format";
import { offerUndo, type Undoable } from "@/lib/undo";

export type DecisionAsked = { state: "confirmed" | "rejected"; instead?: string };
export type Decidable = Pick<FoundAt, "namespace" | "name" | "path" | "entity" | "state">;

const LEADS = {
  confirmed: "Masks and rules for this kind of data then apply to this field, whatever later scans detect.",
  rejected:
    "The field then loses this tag and the masks that came with it. Later scans will not suggest it again by the same recognizer.",
  instead: "Masks and rules of the new kind then apply instead; later scans will not suggest the old one again.",
};

/** Buttons in one row, and a list of kinds beside them. `number`: of many detections at once. */
export function DecideButtons({
  state,
  entity,
  number,
  what,
  kinds,
  onAsk,
}: {
  state: ReviewState;
  /** Null where the chosen ones differ. */
  entity: string | null;
  number?: number;
  /** For screen readers: which detections the list of kinds is for. */
  what: string;
  kinds: readonly string[];
  onAsk: (asked: DecisionAsked) => void;
}) {
  const many = number === undefined ? "" : ` ${number}`;
  return (
    <span className="row decide-row">
      {state !== "confirmed" && (
        <button
          type="button"
          className={`button small ${number === undefined ? "" : "primary"}`}
          onClick={() => onAsk({ state: "confirmed" })}
        >
          <Check size={14} aria-hidden /> Confirm{many}
        </button>
      )}
      {state !== "rejected" && (
        <button type="button" className="button small" onClick={() => onAsk({ state: "rejected" })}>
          <X size={14} aria-hidden /> Reject{many}
        </button>
      )}
      <select
        className="select small"
        aria-label={`Another kind for ${what}`}
        value=""
        onChange={(event) => onAsk({ state: "rejected", instead: event.target.value })}
      >
        <option value="">It is …</option>
        {kindsToChoose(kinds)
          .filter((name) => name !== entity)
          .map((name) => (
            <option key={name} value={name}>
              {entityWords(name)}
            </option>
          ))}
      </select>
    </span>
  );
}

/** Asks for the reason and takes the decision on all of them. `known`: what else is known, for the way back. */
export function DecideDialog({
  asked,
  items,
  known,
  onDone,
  onClose,
}: {
  asked: DecisionAsked;
  items: readonly Decidable[];
  known: readonly Decidable[];
  onDone: (outcome: Outcome) => void;
  onClose: () => void;
}) {
  const review = useReviewMany();
  const [refusal, setRefusal] = useState<Error | null>(null);
  const [one] = items;
  const kinds = [...new Set(items.map((item) => entityWords(item.entity)))].join(", ");
  const verb = asked.state === "confirmed" ? "Confirm" : "Reject";
  const what = items.length === 1 && one ? `${kinds} in ${one.path}` : plural(items.length, "detection");
  const title = asked.instead ? `${what}: it is ${entityWords(asked.instead)}` : `${verb} ${what}`;
  const lead = LEADS[asked.instead ? "instead" : asked.state];
  return (
    <ReasonDialog
      title={title}
      lead={items.length === 1 ? lead : `${kinds}. ${lead}`}
      action={asked.instead ? "Change the kind" : verb}
      danger={asked.state === "rejected" && !asked.instead}
      busy={review.isPending}
      error={review.error ?? refusal}
      onClose={onClose}
      onDo={(reason) =>
        review.mutate(
          {
            items: items.map(({ namespace, name, path, entity }) => ({ namespace, name, path, entity })),
            ...asked,
            reason,
          },
          {
            onSuccess: (outcome) => {
              const problem = items.length === 1 && outcome.results[0]?.problem;
              if (problem) return setRefusal(new Error(problem));
              const taken = items.filter((_, at) => !outcome.results[at]?.problem);
              offerUndo({ text: outcomeText(asked, taken, outcome.reviewed), items: wayBack(asked, taken, known) });
              onDone(outcome);
            },
          },
        )
      }
    />
  );
}

function outcomeText(asked: DecisionAsked, taken: readonly Decidable[], reviewed: number): string {
  const [one] = taken;
  const what = taken.length === 1 && one ? `${entityWords(one.entity)} in ${one.path}` : plural(reviewed, "detection");
  return asked.instead ? `${what} changed to ${entityWords(asked.instead)}` : `${what} ${asked.state}`;
}

/** What there was before; a kind that was new is rejected again. */
export function wayBack(
  asked: DecisionAsked,
  taken: readonly Decidable[],
  known: readonly Decidable[],
): Undoable["items"] {
  const plain = ({ namespace, name, path, entity, state }: Decidable) => ({ namespace, name, path, entity, state });
  const before = taken.map(plain);
  if (!asked.instead) return before;
  const added = taken.map((item) => {
    const is = (other: Decidable) =>
      other.namespace === item.namespace && other.name === item.name && other.path === item.path;
    const there = known.find((other) => is(other) && other.entity === asked.instead);
    return plain({ ...item, entity: asked.instead as string, state: there?.state ?? "rejected" });
  });
  return [...before, ...added];
}
