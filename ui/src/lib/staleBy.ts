// Which answers an event makes stale, by the first part of their key.

const BY: [RegExp, string[]][] = [
  [/^(access|breakglass)\./, ["requests", "request"]],
  [/^grant\./, ["requests", "request", "grants", "access", "sample"]],
  [/^scan\./, ["scans", "scan", "datasets", "dataset", "clusters"]],
  [/^schema\./, ["datasets", "dataset", "schema", "versions", "search"]],
  [/^dataset\./, ["datasets", "dataset", "search", "clusters"]],
  [/^classification\./, ["classifications", "found", "dataset", "search"]],
  [/^mask|^policy|^declared/, ["declared", "access", "views", "connectors"]],
];

/** `weir.access.decided` -> ["events", "requests", "request"] */
export function staleBy(type: string): string[] {
  const kind = type.replace(/^weir\./, "");
  return ["events", ...BY.filter(([fits]) => fits.test(kind)).flatMap(([, keys]) => keys)];
}

interface Decided {
  type: string;
  subject: string;
  data: Record<string, unknown>;
}

/** What the requester is told of their own request, and null for everything else. */
export function toldRequester(
  { type, subject, data }: Decided,
  user: string | undefined,
): { text: string; request: string; good: boolean } | null {
  const kind = type.replace(/^weir\./, "");
  if (kind !== "access.decided" || user === undefined || data.requester !== user || data.by === user) return null;
  const by = typeof data.by === "string" ? data.by : "an approver";
  const dataset = typeof data.dataset === "string" ? data.dataset : "a dataset";
  if (data.state === "approved")
    return { text: `${by} approved your request for ${dataset}: you have access now.`, request: subject, good: true };
  if (data.state === "denied")
    return { text: `${by} denied your request for ${dataset}.`, request: subject, good: false };
  return { text: `${by} approved a stage of your request for ${dataset}.`, request: subject, good: true };
}
