import { percent } from "@/lib/format";

/** A share 0..1 as a bar with its number. */
export function Bar({ share, label }: { share: number; label: string }) {
  return (
    <span className="row-nowrap" title={`${label}: ${percent(share)}`}>
      <span className="bar" aria-hidden>
        <i style={{ width: `${Math.max(share > 0 ? 2 : 0, share * 100)}%` }} />
      </span>
      <span className="small mono nowrap">{percent(share)}</span>
    </span>
  );
}
