// What can be taken along of one record: its text, and commands that ask for it again.
import { Check, Copy } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { useState } from "react";
import type { BrowsedRecord } from "@/api/types";
import { recordAsCurl, recordAsKcat } from "@/lib/copyAs";
import { recordText } from "@/lib/recordText";

export function CopyRecord({ place, name, record }: { place: string; name: string; record: BrowsedRecord }) {
  const [done, setDone] = useState(false);
  const Icon = done ? Check : Copy;
  const copy = async (text: string) => {
    await navigator.clipboard?.writeText(text);
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  const { partition, offset, raw } = record;
  const at = partition == null || offset == null ? null : { place, name, partition, offset };
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger
        className="button quiet icon small"
        aria-label={done ? "Copied" : "Copy the record"}
        title="Copy the record"
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
