import type { Shape } from "@/api/types";
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
    <fieldset className="chips" aria-label="Shape of the records">
      <span className="muted">Records</span>
      {[-1, ...shown.keys()].map((value) => {
        const shape = shown[value];
        return (
          <button
            key={value}
            type="button"
            className="chip"
            aria-pressed={value === chosen}
            title={shape ? `${shape.paths.length} fields` : undefined}
            onClick={() => onChoose(value)}
          >
            {shape ? (
              <>
                {names[value]} <span className="muted">{percent(shape.share)}</span>
              </>
            ) : (
              "of any shape"
            )}
          </button>
        );
      })}
      {shapes.length > shown.length && (
        <span className="muted small">and {shapes.length - shown.length} rarer ones</span>
      )}
    </fieldset>
  );
}
