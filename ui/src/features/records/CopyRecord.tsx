// What can be taken along of one record: its text, and commands that ask for it again.
import { Check, Copy, TriangleAlert } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import type { BrowsedRecord } from "@/api/types";
import { COPIED, useCopy } from "@/lib/clipboard";
import { recordAsCurl, recordAsKcat } from "@/lib/copyAs";
import { recordText } from "@/lib/recordText";

export function CopyRecord({ place, name, record }: { place: string; name: string; record: BrowsedRecord }) {
  const [state, copy] = useCopy();
  const Icon = state === "copied" ? Check : state === "failed" ? TriangleAlert : Copy;
  const { partition, offset, raw } = record;
  const at = partition == null || offset == null ? null : { place, name, partition, offset };
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger
        className="button quiet icon small"
        aria-label={state ? COPIED[state] : "Copy the record"}
        title={state ? COPIED[state] : "Copy the record"}
      >
        <Icon size={14} aria-hidden />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu" align="end" sideOffset={6}>
          <DropdownMenu.Item onSelect={() => void copy(recordText(record, 2))}>Copy as JSON</DropdownMenu.Item>
          {raw != null && <DropdownMenu.Item onSelect={() => void copy(raw)}>Copy the value as sent</DropdownMenu.Item>}
          {at && (
            <>
              <DropdownMenu.Item onSelect={() => void copy(recordAsCurl(at, window.location.origin))}>
                Copy as curl
              </DropdownMenu.Item>
              <DropdownMenu.Item onSelect={() => void copy(recordAsKcat(at))}>
                Copy as kcat, by your rights at the brokers
              </DropdownMenu.Item>
            </>
          )}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
