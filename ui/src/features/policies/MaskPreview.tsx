import { type FormEvent, useState } from "react";
import { type MaskTried, useMaskPreview, useMasks } from "@/api/declared";
import { ErrorNotice } from "@/components/Notice";
import { cellText } from "@/lib/format";
import { maskNames } from "@/lib/masks";

const TYPES = ["STRING", "INT", "BIGINT", "DOUBLE", "DATE", "TIMESTAMP"];

/** The mask of a policy's spec: `{type, params?, expression?}`. */
export interface Mask {
  type?: string;
  params?: Record<string, unknown>;
  expression?: string;
}

/** What a mask makes of values of one's own, before it is in a policy. */
export function MaskPreview({ start = {} }: { start?: Mask }) {
  const preview = useMaskPreview();
  const masks = useMasks();
  const [type, setType] = useState(start.type ?? "MASK_SHOW_LAST_4");
  const [expression, setExpression] = useState(start.expression ?? "");
  const [kind, setKind] = useState("STRING");
  const [text, setText] = useState("4111 1111 1111 1111\nana.weiss@example.org\n+49 30 1234567");
  const values = text.split("\n").filter((line) => line.trim() !== "");
  const custom = type === "CUSTOM";
  const show = (event: FormEvent) => {
    event.preventDefault();
    const params = start.params && type === start.type ? { params: start.params } : {};
    preview.mutate({ mask: { type, ...params, ...(custom ? { expression } : {}) }, values, type: kind });
  };
  return (
    <form className="panel stack" aria-label="Try a mask" onSubmit={show}>
      <div className="row" style={{ alignItems: "flex-end" }}>
        <div className="field">
          <label htmlFor="mask">Mask</label>
          <select id="mask" className="select" value={type} onChange={(event) => setType(event.target.value)}>
            {maskNames(masks.data ?? [], type).map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </div>
        <div className="field">
          <label htmlFor="mask-of">Of values of type</label>
          <select id="mask-of" className="select" value={kind} onChange={(event) => setKind(event.target.value)}>
            {TYPES.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </div>
      </div>
      {custom && (
        <div className="field">
          <label htmlFor="mask-expression">Spark SQL of {"{col}"}</label>
          <input
            id="mask-expression"
            className="input mono"
            value={expression}
            placeholder="substring_index({col}, '?', 1)"
            onChange={(event) => setExpression(event.target.value)}
          />
        </div>
      )}
      <div className="field">
        <label htmlFor="mask-values">Values, one a line</label>
        <textarea
          id="mask-values"
          className="textarea mono"
          rows={4}
          value={text}
          spellCheck={false}
          onChange={(event) => setText(event.target.value)}
        />
        <span className="hint">Values of your own; nothing of them is kept.</span>
      </div>
      {preview.isError && <ErrorNotice error={preview.error} />}
      {preview.data && <Shown of={preview.data} />}
      <div>
        <button
          type="submit"
          className="button primary"
          disabled={preview.isPending || values.length === 0 || (custom && !expression.trim())}
        >
          {preview.isPending ? "Masking …" : "Show"}
        </button>
      </div>
    </form>
  );
}

function Shown({ of }: { of: MaskTried }) {
  return (
    <div className="stack-s">
      <div className="table-wrap">
        <table className="table">
          <thead>
            <tr>
              <th>Value</th>
              <th>Shown as</th>
            </tr>
          </thead>
          <tbody>
            {of.values.map(({ value, masked }, i) => (
              <tr key={i}>
                <td className="mono anywhere">{cellText(value)}</td>
                <td className="mono anywhere">
                  {masked === null ? <span className="muted">null</span> : cellText(masked)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {of.note && <p className="muted small">{of.note}</p>}
    </div>
  );
}
