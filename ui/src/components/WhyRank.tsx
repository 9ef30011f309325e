import { CircleHelp } from "lucide-react";
import { Popover } from "radix-ui";
import { useState } from "react";
import { type Asked, useWhy } from "@/api/search";
import type { Hit } from "@/api/types";
import { Answer } from "@/components/Answer";
import { heldText, reasonRows } from "@/lib/why";

/** A button that shows why a hit has its place. The reasons are asked for when it is pressed. */
export function WhyRank({ hit, asked }: { hit: Hit; asked: Asked }) {
  const [open, setOpen] = useState(false);
  const why = useWhy(asked, hit, open);
  const name = hit.path ?? hit.name;
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger className="button quiet icon small" aria-label={`Why ${name} is here`}>
        <CircleHelp size={15} aria-hidden />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          className="popover stack-s"
          aria-label={`Why ${name} is here`}
          sideOffset={6}
          align="end"
          collisionPadding={8}
        >
          <strong className="anywhere">Why {name} is here</strong>
          <Answer of={why} lines={3}>
            {(reasons) =>
              reasons === null ? (
                <p className="muted">The answer has changed meanwhile; search again.</p>
              ) : (
                <>
                  <ul className="stack-s">
                    {(reasons.held ?? []).map((held) => (
                      <li key={held.needle} className="anywhere">
                        {heldText(held)}
                      </li>
                    ))}
                  </ul>
                  <table className="why">
                    <caption className="muted small">Parts of its score</caption>
                    <tbody>
                      {reasonRows(reasons).map((row) => (
                        <tr key={row.name}>
                          <th scope="row">{row.text}</th>
                          <td>{row.value}</td>
                        </tr>
                      ))}
                    </tbody>
                  </table>
                </>
              )
            }
          </Answer>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
