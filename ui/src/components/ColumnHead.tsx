// A column's head: name, type, how it is shown. A click says why, and asks for access from right here.
import { Ban, Eye, EyeOff } from "lucide-react";
import { Popover } from "radix-ui";
import { Link } from "react-router";
import type { QueryColumn } from "@/api/types";
import { Reasons } from "@/components/Reasons";
import { decisionReasons, lookOf, maskName } from "@/lib/decision";
import { links } from "@/lib/links";

const LOOKS = {
  clear: { icon: Eye, text: "shown clear", tone: "ok" },
  masked: { icon: EyeOff, text: "masked", tone: "mask" },
  denied: { icon: Ban, text: "refused", tone: "bad" },
};

export function ColumnHead({ column, dataset }: { column: QueryColumn; dataset?: string | undefined }) {
  const look = lookOf(column.decision);
  const { icon: Icon, text, tone } = LOOKS[look];
  const mask = maskName(column.decision);
  const reasons = decisionReasons(column.decision);
  const from = sources(column);
  return (
    <span role="columnheader">
      <Popover.Root>
        <Popover.Trigger className="column-head" aria-label={`${column.name}, ${column.type}, ${text}: why`}>
          <span className="row-nowrap">
            <span className="strong column-name">{column.name}</span>
            {look !== "clear" && (
              <span className={`badge ${tone}`}>
                <Icon size={12} aria-hidden />
                {mask ?? text}
              </span>
            )}
          </span>
          <span className="muted small column-type">{column.type}</span>
        </Popover.Trigger>
        <Popover.Portal>
          <Popover.Content className="popover stack-s" sideOffset={6} align="start" collisionPadding={8}>
            <div className="row">
              <strong className="anywhere">{column.name}</strong>
              <span className={`badge ${tone}`}>
                <Icon size={12} aria-hidden />
                {text}
                {mask && `: ${mask}`}
              </span>
            </div>
            <div className="muted small mono anywhere">{column.type}</div>
            {reasons.length > 0 ? (
              <Reasons reasons={reasons} />
            ) : (
              <p className="small muted">{look === "clear" ? "No rule hides it from you." : "No reason was given."}</p>
            )}
            {look !== "clear" && (from.dataset ?? dataset) && (
              <Link className="button primary small" to={links.ask(from.dataset ?? dataset ?? "", from.fields)}>
                Ask for access
              </Link>
            )}
          </Popover.Content>
        </Popover.Portal>
      </Popover.Root>
    </span>
  );
}

/** Which fields of which dataset a column is made of, where the decision says so. */
function sources(column: QueryColumn): { dataset?: string; fields: string[] } {
  const decision = column.decision ?? {};
  const list = (decision as { sources?: unknown; fields?: unknown }).sources ?? (decision as { fields?: unknown }).fields;
  const fields: string[] = [];
  let dataset = (decision as { dataset?: string }).dataset;
  for (const one of Array.isArray(list) ? list : []) {
    if (typeof one === "string") fields.push(one);
    else if (one && typeof one === "object") {
      const { dataset: of, path } = one as { dataset?: string; path?: string };
      dataset ??= of;
      if (path) fields.push(path);
    }
  }
  const path = (decision as { path?: string }).path;
  if (fields.length === 0 && path) fields.push(path);
  return { ...(dataset ? { dataset } : {}), fields };
}
