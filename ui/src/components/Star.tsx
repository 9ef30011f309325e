import { Star as Icon } from "lucide-react";
import { useFavourites } from "@/lib/kept";

/** Marks a dataset as a favourite, or no longer. Kept in this browser alone. */
export function Star({ place, name }: { place: string; name: string }) {
  const { known, has, toggle } = useFavourites();
  const starred = has({ place, name });
  if (!known) return null;
  return (
    <button
      type="button"
      className="button quiet icon small"
      aria-pressed={starred}
      aria-label={`Favourite ${name}`}
      title={starred ? "No longer a favourite" : "Keep as a favourite in this browser"}
      onClick={() => toggle({ place, name })}
    >
      <Icon size={15} aria-hidden fill={starred ? "currentColor" : "none"} />
    </button>
  );
}
