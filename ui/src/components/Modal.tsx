import { X } from "lucide-react";
import { Dialog } from "radix-ui";
import { type ReactNode, useRef } from "react";

/** A dialog over the page. Escape and the veil close it; the keyboard is then where it was before. */
export function Modal({
  open,
  onClose,
  title,
  lead,
  children,
}: {
  open: boolean;
  onClose: () => void;
  title: string;
  lead?: string;
  children: ReactNode;
}) {
  const opener = useRef<Element | null>(null);
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="veil" />
        <Dialog.Content
          className="dialog"
          {...(lead ? {} : { "aria-describedby": undefined })}
          onOpenAutoFocus={() => {
            opener.current = document.activeElement;
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            // Whoever went on to another place meanwhile is left there.
            const free = document.activeElement === null || document.activeElement === document.body;
            if (free && opener.current instanceof HTMLElement) opener.current.focus();
          }}
        >
          <div className="spread" style={{ flexWrap: "nowrap", alignItems: "flex-start", marginBottom: 12 }}>
            <Dialog.Title asChild>
              <h2 className="anywhere">{title}</h2>
            </Dialog.Title>
            <Dialog.Close className="button quiet icon small" aria-label="Close">
              <X size={16} aria-hidden />
            </Dialog.Close>
          </div>
          {lead && <Dialog.Description className="muted">{lead}</Dialog.Description>}
          {children}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
