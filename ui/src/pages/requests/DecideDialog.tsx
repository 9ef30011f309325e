import { useDecide, type Verb } from "@/api/access";
import type { AccessRequest } from "@/api/types";
import { ReasonDialog } from "@/components/ReasonDialog";

const SAY: Record<Verb, { action: string; lead: string }> = {
  approve: { action: "Approve", lead: "The last stage's approval makes the grant, which ends by itself." },
  deny: { action: "Deny", lead: "That ends the request. The requester reads your reason." },
  cancel: { action: "Withdraw", lead: "That ends your request." },
};

/** Approve, deny or withdraw one request, with a reason. */
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
  const { action, lead } = SAY[verb];
  return (
    <ReasonDialog
      title={`${action}: ${r.requester} for ${r.dataset}`}
      lead={r.instead_of ? `${lead} You decide in the place of ${r.instead_of}.` : lead}
      action={action}
      danger={verb !== "approve"}
      busy={decide.isPending}
      error={decide.error}
      onClose={onClose}
      onDo={(reason) => decide.mutate({ id: r.id, verb, reason }, { onSuccess: onClose })}
    />
  );
}
