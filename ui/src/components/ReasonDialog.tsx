import { type ReactNode, useState } from "react";
import { Modal } from "@/components/Modal";
import { ErrorNotice } from "@/components/Notice";

/** Asks for a reason before something is decided; the reason is kept in the audit. */
export function ReasonDialog({
  title,
  lead,
  action,
  danger = false,
  busy,
  error,
  children,
  onDo,
  onClose,
}: {
  title: string;
  lead?: string;
  action: string;
  danger?: boolean;
  busy: boolean;
  error: unknown;
  children?: ReactNode;
  onDo: (reason: string) => void;
  onClose: () => void;
}) {
  const [reason, setReason] = useState("");
  return (
    <Modal open onClose={onClose} title={title} {...(lead ? { lead } : {})}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onDo(reason.trim());
        }}
      >
        {children}
        <div className="field" style={{ marginTop: 14 }}>
          <label htmlFor="reason">Reason</label>
          <textarea
            id="reason"
            className="textarea"
            value={reason}
            onChange={(event) => setReason(event.target.value)}
            placeholder="Kept with the decision, for those who read it later"
          />
        </div>
        {Boolean(error) && <ErrorNotice error={error} />}
        <div className="actions">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className={`button ${danger ? "danger" : "primary"}`} disabled={busy}>
            {busy ? "One moment …" : action}
          </button>
        </div>
      </form>
    </Modal>
  );
}
