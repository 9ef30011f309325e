import type { Shape } from "@/api/types";
import { Segments } from "@/components/Segments";
import { percent } from "@/lib/format";
import { lastName } from "@/lib/paths";

/** What tells a shape from the others: `type = order_placed`. */
export function shapeName(shape: Shape, at: number): string {
  const when = shape.when;
  if (when && "path" in when) {
    const values = "value" in when ? when.value : (when.values ?? when.equals ?? "");
    return `${lastName(String(when.path))} = ${Array.isArray(values) ? values.join(" or ") : String(values)}`;
  }
  const told = Object.entries(when ?? {}).map(([path, value]) => `${lastName(path)} = ${String(value)}`);
  return told.join(", ") || `shape ${at + 1}`;
}

/** Records of one topic often come in several shapes; this shows the fields of one. */
export function ShapeSwitch({
  shapes,
  chosen,
  onChoose,
}: {
  shapes: Shape[];
  chosen: number;
  onChoose: (shape: number) => void;
}) {
  const shown = shapes.slice(0, 12);
  return (
    <div className="row">
      <span className="muted">Records with</span>
      <Segments
        label="Shape of the records"
        value={chosen}
        onChange={onChoose}
        options={[
          { value: -1, text: "any shape" },
          ...shown.map((shape, i) => ({
            value: i,
            text: (
              <>
                {shapeName(shape, i)} <span className="muted">{percent(shape.share)}</span>
              </>
            ),
            title: `${shape.paths.length} fields`,
          })),
        ]}
      />
      {shapes.length > shown.length && (
        <span className="muted small">and {shapes.length - shown.length} rarer ones</span>
      )}
    </div>
  );
}
