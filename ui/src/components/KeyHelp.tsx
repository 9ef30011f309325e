// The keys of a page, listed by `?`: those alone that do something on it, for the person who looks.
import { useCallback, useMemo, useState } from "react";
import { useNavigate } from "react-router";
import { useMe } from "@/api/access";
import { useShowsConnectors } from "@/api/connectors";
import { useShowsDomains } from "@/api/domains";
import { Modal } from "@/components/Modal";
import { usePageKeys } from "@/lib/keys";
import { ROWS, stepPage } from "@/lib/listKeys";
import { mayOpen } from "@/lib/may";
import { GOES, pagesFor } from "@/lib/pages";
import { useToken } from "@/lib/session";

interface Does {
  keys: string[];
  does: string;
  /** What the page must have for them to do anything. */
  on?: string;
}

const KEYS: Does[] = [
  { keys: ["/"], does: "search, from anywhere" },
  { keys: ["j", "k"], does: "next and previous row, from anywhere", on: ROWS },
  { keys: ["↑", "↓"], does: "step through results, fields, rows; Enter opens", on: `${ROWS}, main [role="tree"]` },
  { keys: ["←", "→"], does: "fold and unfold in a schema", on: 'main [role="tree"]' },
  { keys: ["←", "→"], does: "on the edge of a column's head: narrower and wider", on: "main .width-handle" },
  { keys: ["Ctrl", "Enter"], does: "run the statement (Cmd on a Mac)", on: "main .cm-editor" },
  { keys: ["Esc"], does: "close what is open" },
  { keys: ["?"], does: "these keys" },
];

export function KeyHelp() {
  const navigate = useNavigate();
  const me = useMe(useToken()).data;
  const connectors = useShowsConnectors();
  const domains = useShowsDomains();
  const [shown, setShown] = useState<Does[] | null>(null);
  const goes = useMemo(() => pagesFor(GOES, (one) => mayOpen(me, one), connectors, domains), [me, connectors, domains]);
  const letters = useMemo(() => new Map(goes.map(({ key, to }) => [key, to])), [goes]);
  const close = useCallback(() => setShown(null), []);
  const help = useCallback(() => setShown(KEYS.filter(({ on }) => !on || document.querySelector(on) !== null)), []);
  const go = useCallback(
    (to: string) => {
      close();
      navigate(to);
    },
    [close, navigate],
  );
  usePageKeys(letters, go, stepPage, help);
  return (
    <Modal open={shown !== null} onClose={close} title="Keys">
      <dl className="keys">
        {shown?.map(({ keys, does }) => (
          <Line key={does} keys={keys} does={does} />
        ))}
        {goes.map((page) => (
          <Line key={page.to} keys={["g", page.key]} does={page.text} />
        ))}
      </dl>
    </Modal>
  );
}

function Line({ keys, does }: { keys: string[]; does: string }) {
  return (
    <>
      <dt>
        {keys.map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dt>
      <dd>{does}</dd>
    </>
  );
}
