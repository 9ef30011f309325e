import { useState } from "react";
import { useDecide, type Verb } from "@/api/access";
import type { AccessRequest } from "@/api/types";
import { ReasonDialog } from "@/components/ReasonDialog";
import { PartForm, partOf, wholeChoice } from "@/features/access_requests/PartForm";

const SAY: Record<Verb, { action: string; lead: string }> = {
  approve: { action: "Approve", lead: "The last stage's approval makes the grant, which ends by itself." },
  deny: { action: "Deny", lead: "That ends the request. The requester reads your reason." },
  cancel: { action: "Withdraw", lead: "That ends your request." },
};

/** Approve (in whole or in part), deny or withdraw one request, with a reason. */
export function DecideDialog({
  request: r,
  verb,
  onClose,
}: {
  request: AccessRequest;
  verb: Verb;
  onClose: () => void;
}) {
  const decide = useDecide();
  const [open, setOpen] = useState(false);
  const [choice, setChoice] = useState(() => wholeChoice(r));
  const { action, lead } = SAY[verb];
  const inPart = verb === "approve" && !r.breakGlass;
  return (
    <ReasonDialog
      title={`${action}: ${r.requester} for ${r.dataset}`}
      lead={r.insteadOf ? `${lead} You decide in the place of ${r.insteadOf}.` : lead}
      action={open ? "Approve in part" : action}
      danger={verb !== "approve"}
      busy={decide.isPending || (open && choice.fields.size === 0)}
      error={decide.error}
      onClose={onClose}
      onDo={(reason) => {
        const part = open ? partOf(r, choice, Date.now()) : {};
        decide.mutate({ id: r.id, verb, reason, part }, { onSuccess: onClose });
      }}
    >
      {inPart &&
        (open ? (
          <PartForm request={r} choice={choice} onChange={setChoice} />
        ) : (
          <button type="button" className="button small" onClick={() => setOpen(true)}>
            Approve less …
          </button>
        ))}
    </ReasonDialog>
  );
}
