import { ago } from "@/lib/format";

/** A time as people say it; the exact one on hover. */
export function When({ at, never = "never" }: { at: string | null | undefined; never?: string }) {
  if (!at) return <span className="muted">{never}</span>;
  return (
    <time dateTime={at} title={at} className="nowrap">
      {ago(at)}
    </time>
  );
}
