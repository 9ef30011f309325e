import { useId, useState } from "react";
import { useSearch } from "@/api/catalog";
import type { Hit } from "@/api/types";
import { nodeName } from "@/lib/graphText";
import { datasetNode, fieldNode } from "@/lib/nodeId";

const MOST = 8;
export const nodeOf = (hit: Hit) =>
  hit.path ? fieldNode(hit.namespace, hit.name, hit.path) : datasetNode(hit.namespace, hit.name);

/** A dataset or a field, found as one types; a whole node id is taken as it is. */
export function NodePicker({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string | null;
  onChange: (node: string | null) => void;
}) {
  const id = useId();
  const [text, setText] = useState(value ? nodeName(value) : "");
  const found = useSearch({ q: text }, MOST, 0, text.trim() !== "" && value === null);
  const hits = value === null && text.trim() !== "" ? (found.data?.hits ?? []) : [];
  return (
    <div className="field node-picker">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className="input"
        autoComplete="off"
        spellCheck={false}
        placeholder="orders, email …"
        value={text}
        onChange={(e) => {
          setText(e.target.value);
          onChange(/^(dataset|datasetField|job):/.test(e.target.value) ? e.target.value.trim() : null);
        }}
      />
      {hits.length > 0 && (
        <ul className="menu" aria-label={`Choices for ${label}`}>
          {hits.map((hit) => {
            const node = nodeOf(hit);
            return (
              <li key={node}>
                <button
                  type="button"
                  className="menu-choice"
                  onClick={() => {
                    setText(nodeName(node));
                    onChange(node);
                  }}
                >
                  <span className="strong anywhere">{nodeName(node)}</span>{" "}
                  <span className="muted small">{hit.cluster ?? hit.namespace}</span>
                </button>
              </li>
            );
          })}
        </ul>
      )}
    </div>
  );
}
