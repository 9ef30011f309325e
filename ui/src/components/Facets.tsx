import type { FacetValue } from "@/api/types";
import { count } from "@/lib/format";

/** One facet: its values with counts; a click filters by one, another click lifts it. */
export function Facet({
  title,
  values,
  chosen,
  words = (value) => value,
  onChoose,
}: {
  title: string;
  values: FacetValue[];
  chosen: string | null;
  /** How a value is shown. */
  words?: ((value: string) => string) | undefined;
  onChoose: (value: string | null) => void;
}) {
  const shown = values.slice(0, 12);
  if (chosen && !shown.some((v) => v.value === chosen)) shown.unshift({ value: chosen, count: 0 });
  if (shown.length === 0) return null;
  return (
    <section className="facet" aria-label={title}>
      <h2>{title}</h2>
      {shown.map(({ value, count: n }) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === chosen}
          title={value}
          onClick={() => onChoose(value === chosen ? null : value)}
        >
          <span>{words(value)}</span>
          <span>{count(n)}</span>
        </button>
      ))}
    </section>
  );
}
