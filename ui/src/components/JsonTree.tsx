// JSON as nested, foldable lists. Long values are cut; big lists are drawn in steps.
import { type ReactNode, useState } from "react";

const STEP = 100;

/** What is shown beside a value: `steps` lead to it, a number for an element of a list. */
export type Beside = (steps: (string | number)[], value: unknown) => ReactNode;

function matches(name: string, value: unknown, filter: string): boolean {
  if (!filter || name.toLowerCase().includes(filter)) return true;
  if (value !== null && typeof value === "object") return Object.entries(value).some(([k, v]) => matches(k, v, filter));
  return String(value).toLowerCase().includes(filter);
}

interface Shown {
  filter: string;
  beside?: Beside | undefined;
  steps?: (string | number)[];
}

export function JsonTree({ value, filter, beside, steps = [] }: { value: unknown } & Shown) {
  if (value === null || typeof value !== "object") return <Leaf value={value} />;
  const list = Array.isArray(value);
  const entries = Object.entries(value).filter(([name, inner]) => matches(name, inner, filter));
  return <Entries entries={entries} filter={filter} beside={beside} steps={steps} list={list} />;
}

function Entries({
  entries,
  filter,
  beside,
  steps = [],
  list,
}: { entries: [string, unknown][]; list: boolean } & Shown) {
  const [most, setMost] = useState(STEP);
  return (
    <ul className="json">
      {entries.slice(0, most).map(([name, inner]) => {
        const here = [...steps, list ? Number(name) : name];
        return (
          <li key={name}>
            {inner !== null && typeof inner === "object" && Object.keys(inner).length > 0 ? (
              <details open={steps.length < 3 || undefined}>
                <summary>
                  <span className="json-name">{name}</span>{" "}
                  <span className="muted small">{Array.isArray(inner) ? `${inner.length} items` : ""}</span>
                </summary>
                <JsonTree
                  value={inner}
                  filter={filter && name.toLowerCase().includes(filter) ? "" : filter}
                  beside={beside}
                  steps={here}
                />
              </details>
            ) : (
              <>
                <span className="json-name">{name}</span> <Leaf value={inner} />
                {beside?.(here, inner)}
              </>
            )}
          </li>
        );
      })}
      {entries.length > most && (
        <li>
          <button type="button" className="link" onClick={() => setMost(most + STEP * 5)}>
            {entries.length - most} more
          </button>
        </li>
      )}
      {entries.length === 0 && <li className="muted">nothing fits</li>}
    </ul>
  );
}

function Leaf({ value }: { value: unknown }) {
  const [whole, setWhole] = useState(false);
  if (value === null || value === undefined) return <span className="muted">null</span>;
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return (
    <span className={`mono anywhere json-${typeof value}`}>
      {whole || text.length <= 2000 ? text : text.slice(0, 2000)}
      {!whole && text.length > 2000 && (
        <button type="button" className="link" onClick={() => setWhole(true)}>
          … {text.length - 2000} more characters
        </button>
      )}
    </span>
  );
}
