import { Mail } from "lucide-react";
import { useState } from "react";
import { useImpact } from "@/api/lineage";
import type { Affected } from "@/api/types";
import { CopyButton } from "@/components/CopyButton";
import { Modal } from "@/components/Modal";
import { NotifyOwners } from "@/features/lineage/NotifyOwners";
import { plural } from "@/lib/format";
import type { Change } from "@/lib/impact";
import { concerned, NOBODY, ownersMessage } from "@/lib/ownersMessage";

/** A message to those who own what a change affects: by Weir's notifications, or as text for a ticket or a mail. */
export function OwnersMessage({
  node,
  change,
  asked,
  link,
}: {
  node: string;
  change: Change | null;
  asked: Parameters<typeof useImpact>[0];
  link: string;
}) {
  const [open, setOpen] = useState(false);
  const all = useImpact(asked).data;
  const touched = useImpact(asked, change).data;
  const ready = all && (change === null || touched);
  if (!ready || all.affected.length === 0) return null;
  const owners = concerned(
    all.affected as Affected[],
    change === null ? null : ((touched?.affected ?? []) as Affected[]),
  );
  const text = ownersMessage(node, change, owners, link);
  const cut = all.truncated ? " The graph has more than is listed; the CSV has everything." : "";
  return (
    <>
      <button type="button" className="button quiet small" onClick={() => setOpen(true)}>
        <Mail size={13} aria-hidden /> Owners
      </button>
      <Modal
        open={open}
        onClose={() => setOpen(false)}
        title="Message to the owners"
        lead={`${plural(owners.filter(({ owner }) => owner !== NOBODY).length, "owner")} concerned.${cut}`}
      >
        {asked.asOf === null && <NotifyOwners asked={asked} change={change} />}
        <div className="spread" style={{ margin: "12px 0 8px" }}>
          <h3>As text for a ticket</h3>
          <span className="row">
            <CopyButton text={text} what="message" />
            <a
              className="button small"
              href={`mailto:?subject=${encodeURIComponent("A planned change")}&body=${encodeURIComponent(text)}`}
            >
              Write a mail
            </a>
          </span>
        </div>
        <pre className="small" style={{ whiteSpace: "pre-wrap", maxHeight: 360, overflow: "auto" }}>
          {text}
        </pre>
      </Modal>
    </>
  );
}
