import type { Shape } from "@/api/types";
import { Segments } from "@/components/Segments";
import { percent } from "@/lib/format";
import { shapeNames } from "@/lib/shapes";

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
  const names = shapeNames(shapes);
  return (
    <div className="row">
      <span className="muted">Records</span>
      <Segments
        label="Shape of the records"
        value={chosen}
        onChange={onChoose}
        options={[
          { value: -1, text: "of any shape" },
          ...shown.map((shape, i) => ({
            value: i,
            text: (
              <>
                {names[i]} <span className="muted">{percent(shape.share)}</span>
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
