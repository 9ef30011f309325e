// A column's head: name, type, how it is shown. A click says why, and asks for access from right here.

import { Ban, Eye, EyeOff } from "lucide-react";
import { Popover } from "radix-ui";
import type { ReactNode } from "react";
import { Link } from "react-router";
import type { QueryColumn, Reason } from "@/api/types";
import { Reasons } from "@/components/Reasons";
import { columnReasons, datasetOf, lookOf } from "@/lib/decision";
import { links } from "@/lib/links";
import { maskWords } from "@/lib/maskWords";

const LOOKS = {
  clear: { icon: Eye, text: "unmasked", tone: "ok" },
  masked: { icon: EyeOff, text: "masked", tone: "mask" },
  withheld: { icon: Ban, text: "left out", tone: "bad" },
};

export function ColumnHead({
  id,
  column,
  dataset,
  reasons,
  children,
}: {
  /** Its name among the columns of the table. */
  id: string;
  column: QueryColumn;
  dataset?: string | undefined;
  reasons: Reason[];
  children?: ReactNode;
}) {
  const look = lookOf(column.decision);
  const { icon: Icon, text, tone } = LOOKS[look];
  const masks = column.decision?.masks ?? [];
  const shown = masks.length === 1 ? maskWords(masks[0] as string) : masks.length > 1 ? `${masks.length} masks` : text;
  const why = columnReasons(column.decision);
  const opened = column.decision?.opened ?? [];
  const fields = column.decision?.fields ?? [];
  const from = datasetOf(fields, reasons) ?? dataset;
  return (
    <span role="columnheader" data-column={id}>
      <Popover.Root>
        <Popover.Trigger className="column-head">
          <span className="row-nowrap" style={{ maxWidth: "100%" }}>
            <span className="strong column-name">{column.name}</span>
            <span className="visually-hidden">, </span>
            {look !== "clear" && (
              <span className={`badge ${tone}`}>
                <Icon size={12} aria-hidden />
                {shown}
              </span>
            )}
          </span>
          <span className="muted small column-type">{column.type}</span>
          <span className="visually-hidden">, {text}: why</span>
        </Popover.Trigger>
        <Popover.Portal>
          <Popover.Content
            className="popover stack-s"
            aria-label={`How ${column.name} is shown, and why`}
            sideOffset={6}
            align="start"
            collisionPadding={8}
          >
            <div className="row">
              <strong className="anywhere">{column.name}</strong>
              <span className={`badge ${tone}`}>
                <Icon size={12} aria-hidden />
                {text}
              </span>
            </div>
            <div className="muted small mono anywhere">{column.type}</div>
            {why.length > 0 && <Reasons reasons={why} />}
            {why.length === 0 && opened.length > 0 && (
              <>
                <p className="small muted">Shown because:</p>
                <Reasons reasons={opened} />
              </>
            )}
            {why.length === 0 && opened.length === 0 && <p className="small muted">No mask applies to it.</p>}
            {look !== "clear" && from && (
              <Link className="button primary small" to={links.ask(from, fields)} state={{ sql: currentSql() }}>
                Request access
              </Link>
            )}
          </Popover.Content>
        </Popover.Portal>
      </Popover.Root>
      {children}
    </span>
  );
}

/** The statement of the query page, where the head stands on it: the request leads back there. */
function currentSql(): string | undefined {
  if (window.location.pathname !== "/query") return undefined;
  return new URLSearchParams(window.location.search).get("sql") ?? undefined;
}
