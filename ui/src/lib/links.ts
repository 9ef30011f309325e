// Addresses of our own pages, so that each stands in one place.
import { parseNodeId } from "@/lib/nodeId";

const part = encodeURIComponent;

function asked(params: Record<string, string | null | undefined>): [string, string][] {
  return Object.entries(params).filter((p): p is [string, string] => p[1] != null && p[1] !== "");
}

function query(params: Record<string, string | null | undefined>): string {
  const given = asked(params);
  return given.length > 0 ? `?${new URLSearchParams(given)}` : "";
}

/** Kinds of documents that the page of roles and people shows. */
const PEOPLE = new Set(["Role", "User", "Group", "ServiceAccount"]);

export const links = {
  home: "/",
  search: (params: Record<string, string | null | undefined> = {}) => `/search${query(params)}`,
  datasets: (show?: string) => `/datasets${query({ show })}`,
  activity: (about?: string) => `/activity${query({ about })}`,
  dataset: (place: string, name: string, tab?: string, params: Record<string, string | null | undefined> = {}) =>
    `/datasets/${part(place)}/${part(name)}${tab && tab !== "overview" ? `/${tab}` : ""}${query(params)}`,
  field: (place: string, name: string, path: string) =>
    `/datasets/${part(place)}/${part(name)}/schema${query({ field: path })}`,
  lineage: (node?: string, params: Record<string, string | null | undefined> = {}) =>
    `/lineage${query({ node, ...params })}`,
  job: (namespace: string, name: string) => `/jobs/${part(namespace)}/${part(name)}`,
  views: "/views",
  view: (name: string, tab?: string) => `/views/${part(name)}${tab && tab !== "overview" ? `/${tab}` : ""}`,
  connectors: "/connectors",
  connector: (name: string) => `/connectors/${part(name)}`,
  incidents: (params: Record<string, string | null | undefined> = {}) => `/incidents${query(params)}`,
  incident: (id: string) => `/incidents/${part(id)}`,
  query: (sql?: string, purpose?: string) => `/query${query({ sql, purpose })}`,
  savedQuery: (id: string) => `/query${query({ saved: id })}`,
  ask: (dataset: string, fields: string[] = [], purpose?: string) => {
    // A parameter each: names of fields have commas, too.
    const address = new URLSearchParams([...asked({ dataset, purpose }), ...fields.map((field) => ["field", field])]);
    return `/requests/new${address.size > 0 ? `?${address}` : ""}`;
  },
  request: (id: string) => `/requests/${part(id)}`,
  requests: (tab?: string) => (tab ? `/requests?show=${tab}` : "/requests"),
  notifications: "/notifications",
  agents: "/agents",
  agent: (id: string) => `/agents/${part(id)}`,
  fields: (params: Record<string, string | null | undefined>) => `/fields${query(params)}`,
  whereIs: (params: Record<string, string | null | undefined>) => `/reports${query(params)}`,
  rights: (params: Record<string, string | null | undefined> = {}) => `/rights${query(params)}`,
  review: "/review",
  accessReviews: "/access-reviews",
  accessReview: (id: string) => `/access-reviews/${part(id)}`,
  domains: "/domains",
  glossary: "/glossary",
  term: (name: string) => `/glossary/${part(name)}`,
  products: "/products",
  product: (name: string) => `/products/${part(name)}`,
  domain: (name: string) => `/domains/${part(name)}`,
  /** The page that shows documents of a kind: policies, roles and people, or all declared documents. */
  policies: (kind?: string, change = false) =>
    `${!kind || kind === "Policy" ? "/policies" : PEOPLE.has(kind) ? "/policies/people" : "/policies/documents"}${query(
      {
        kind: kind === "Policy" ? null : kind,
        change: change ? "new" : null,
      },
    )}`,
  documents: (kind?: string) => `/policies/documents${query({ kind })}`,
  maskedCopy: (of?: string) => `/policies/documents${query({ kind: "View", change: "form", of })}`,
  audit: (params: Record<string, string | null | undefined> = {}) => `/audit${query(params)}`,
  person: (name: string) => `/people/${part(name)}`,
  scan: (id: string) => `/admin/scans/${part(id)}`,
  addCluster: "/admin/clusters?add=cluster",
  admin: (tab?: string) => (tab ? `/admin/${tab}` : "/admin"),
};

/** The fields that an address of `links.ask` has, or one written by hand: `fields=value.a,value.b`. */
export function askedFields(params: URLSearchParams): string[] {
  return [...params.getAll("field"), ...(params.get("fields") ?? "").split(",")].filter(Boolean);
}

/** The page of a lineage node. */
export function nodeLink(id: string): string {
  const ref = parseNodeId(id);
  if (!ref) return links.lineage(id);
  if (ref.kind === "job") return links.job(ref.namespace, ref.name);
  if (ref.kind === "field") return links.field(ref.namespace, ref.name, ref.field ?? "");
  return links.dataset(ref.namespace, ref.name);
}

/** `prod/orders` -> its page; the last slash parts cluster and topic. */
export function referenceLink(reference: string, tab?: string): string {
  const at = reference.lastIndexOf("/");
  return at < 0 ? links.search({ q: reference }) : links.dataset(reference.slice(0, at), reference.slice(at + 1), tab);
}
