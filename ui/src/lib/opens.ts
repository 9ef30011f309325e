// Which finds of personal data a list of asked fields covers.
import type { Classification } from "@/api/types";

/** Fields are paths (what is inside counts too), entity tags, PII for every one, or `*`. */
export function opens(found: Classification[], fields: string[]): Classification[] {
  const inside = (path: string, asked: string) =>
    path === asked || (path.startsWith(asked) && /^[.[{@]/.test(path.slice(asked.length)));
  return found.filter(
    (c) =>
      c.state !== "rejected" && fields.some((f) => f === "*" || f === "PII" || f === c.entity || inside(c.path, f)),
  );
}
