// Which columns of a table are shown, and whether long text wraps; kept for the person who chose.
import { Columns3 } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { type TableSettings, toggled, untouched } from "@/lib/tableSettings";
import "@/styles/table.css";

export interface Choosable {
  id: string;
  head: string;
  /** What names the row is never hidden. */
  always?: boolean;
}

export function TableTools({
  label,
  columns,
  settings,
  wrap,
  known,
  onChange,
}: {
  label: string;
  columns: readonly Choosable[];
  settings: TableSettings;
  wrap: boolean;
  known: boolean;
  onChange: (some: Partial<TableSettings>) => void;
}) {
  const hidden = columns.filter((column) => !column.always && settings.hidden.includes(column.id)).length;
  const stay = (event: Event) => event.preventDefault();
  return (
    <div className="table-tools no-print">
      <DropdownMenu.Root>
        <DropdownMenu.Trigger className="button quiet small" disabled={!known}>
          <Columns3 size={14} aria-hidden />
          Columns<span className="visually-hidden"> of {label}</span>
          {hidden > 0 && <span className="badge accent">{hidden} hidden</span>}
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content className="menu" align="end" sideOffset={4} collisionPadding={8}>
            {columns.map((column) => (
              <Check
                key={column.id}
                text={column.head}
                on={column.always === true || !settings.hidden.includes(column.id)}
                disabled={column.always === true}
                onToggle={() => onChange({ hidden: toggled(settings.hidden, column.id) })}
              />
            ))}
            <DropdownMenu.Separator className="menu-line" />
            <Check text="Wrap long text" on={wrap} onToggle={() => onChange({ wrap: !wrap })} />
            <DropdownMenu.Item
              disabled={untouched(settings)}
              onSelect={(event) => {
                stay(event);
                onChange({ hidden: [], widths: {}, wrap: undefined });
              }}
            >
              <span className="menu-check" aria-hidden />
              Reset columns and widths
            </DropdownMenu.Item>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
    </div>
  );
}

function Check({
  text,
  on,
  disabled = false,
  onToggle,
}: {
  text: string;
  on: boolean;
  disabled?: boolean;
  onToggle: () => void;
}) {
  return (
    <DropdownMenu.CheckboxItem
      checked={on}
      disabled={disabled}
      onCheckedChange={onToggle}
      onSelect={(event) => event.preventDefault()}
    >
      <span className="menu-check" aria-hidden>
        <DropdownMenu.ItemIndicator>✓</DropdownMenu.ItemIndicator>
      </span>
      <span className="anywhere">{text}</span>
    </DropdownMenu.CheckboxItem>
  );
}
