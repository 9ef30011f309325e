// The keys of every page, told by `?`.
import { useCallback, useState } from "react";
import { useNavigate } from "react-router";
import { Modal } from "@/components/Modal";
import { usePageKeys } from "@/lib/keys";
import { LETTERS, PAGES } from "@/lib/pages";

const OTHERS: [string[], string][] = [
  [["/"], "search, from anywhere"],
  [["↑", "↓"], "step through results, fields, rows; Enter opens"],
  [["←", "→"], "fold and unfold in a schema"],
  [["Ctrl", "Enter"], "run the statement (Cmd on a Mac)"],
  [["Esc"], "close what is open"],
  [["?"], "these keys"],
];

export function KeyHelp() {
  const navigate = useNavigate();
  const [open, setOpen] = useState(false);
  const help = useCallback(() => setOpen(true), []);
  const go = useCallback(
    (to: string) => {
      setOpen(false);
      navigate(to);
    },
    [navigate],
  );
  usePageKeys(LETTERS, go, help);
  return (
    <Modal open={open} onClose={() => setOpen(false)} title="Keys">
      <dl className="keys">
        {OTHERS.map(([keys, does]) => (
          <Line key={does} keys={keys} does={does} />
        ))}
        {PAGES.map((page) => (
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
