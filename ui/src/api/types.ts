// The shapes of the answers, as the HTTP contract states them. Keys beyond the contract are optional here.

export interface Hit {
  kind: "dataset" | "field";
  namespace: string;
  name: string;
  cluster?: string | null;
  path?: string;
  description?: string;
  tags?: string[];
  owners?: string[];
  entities?: string[];
  states?: Record<string, ReviewState>;
  score: number;
  highlights?: Record<string, string[]>;
}

export interface FacetValue {
  value: string;
  count: number;
}

export interface SearchAnswer {
  total: number;
  hits: Hit[];
  facets: Record<string, FacetValue[]>;
}

export interface Dataset {
  namespace: string;
  name: string;
  cluster: string | null;
  reference: string;
  description: string;
  owners: string[];
  tags: string[];
  terms: string[];
  format: Record<string, string>;
  declared_schema?: string | null;
  topic: {
    partitions?: number;
    replication?: number;
    cleanup_policy?: string | null;
    retention_ms?: number | null;
    retention_bytes?: number | null;
    retained?: number | null;
    offsets?: { partition: number; begin: number; end: number }[];
  };
  scan: { at?: string; records?: number; unscanned?: string[]; problems?: Problem[]; error?: string };
  usage?: number;
  created_at?: string | null;
  updated_at?: string | null;
  last_seen_at?: string | null;
  scanned_at?: string | null;
  deleted_at?: string | null;
}

/** One dataset's own page holds a little more than the list. */
export interface DatasetDetails extends Dataset {
  fields?: number;
  shapes?: number;
  schema_version?: number;
  entities?: string[];
  notes?: { path: string; description: string; terms: string[] }[];
}

export interface Problem {
  dataset?: string;
  message?: string;
  path?: string;
  [key: string]: unknown;
}

export interface Field {
  path: string;
  types: Record<string, number>;
  presence: number;
  null_share: number;
  count?: number;
  distinct?: number | null;
  lengths?: [number, number] | null;
  details?: Record<string, unknown> & { first_seen?: { time?: string; partition: number; offset: number } };
}

export interface Shape {
  share: number;
  paths: string[];
  when?: Record<string, unknown> | null;
}

export interface ScanWindow {
  records?: number;
  time_from?: string | null;
  time_to?: string | null;
  strategy?: string;
  complete?: boolean;
  partitions?: { partition: number; begin: number; end: number; read: number; ranges?: [number, number][] }[];
}

export interface Schema {
  version: number;
  format: Record<string, string>;
  fields: Field[];
  shapes: Shape[];
  window: ScanWindow;
  created_at?: string | null;
  problems?: Problem[];
}

/** `change`: added, removed, type, presence; or format, shapes, which have no path. */
export interface SchemaChange {
  change: string;
  path: string | null;
  before?: unknown;
  after?: unknown;
  first_seen?: { partition?: number; offset?: number } | null;
}

export interface SchemaDiff {
  changes: SchemaChange[];
  compatibility?: { backward: boolean; forward: boolean; full: boolean };
}

export interface Evidence {
  matched?: number;
  sampled?: number;
  validated?: number;
  recognizers?: ({ name: string; version?: string } | string)[];
  locale?: string;
  free_text?: boolean;
  note?: string;
  window?: unknown;
  [key: string]: unknown;
}

export type ReviewState = "suggested" | "confirmed" | "rejected";

export interface Classification {
  path: string;
  entity: string;
  score: number;
  state: ReviewState;
  evidence: Evidence;
  source?: string;
  reviewed_by?: string | null;
  reviewed_at?: string | null;
  reason?: string | null;
  seen_at?: string | null;
}

export interface Reason {
  kind?: string;
  name?: string;
  text: string;
  dataset?: string;
  field?: string;
}

/** How one column of an answer is shown, in one sentence; `fields` are the paths that are hidden in it. */
export interface ColumnDecision {
  effect: "clear" | "masked" | "derived" | "denied" | "withheld";
  text: string;
  masks?: string[];
  fields?: string[];
}

export interface QueryColumn {
  name: string;
  type: string;
  decision: ColumnDecision | null;
}

/** The decision on all tables of a query together. */
export interface Decision {
  effect: "allow" | "deny";
  reasons: Reason[];
  gaps?: string[];
  grants?: string[];
  filters?: { dataset: string; where: string }[];
  expires?: string | null;
}

export interface TableWindow {
  dataset: string;
  complete: boolean;
  since: string | null;
  until: string | null;
  limit: number;
  records: number;
  partitions: { partition: number; start: number; end: number }[];
}

export interface QueryWindow {
  text?: string;
  tables?: TableWindow[];
}

export interface QueryAnswer {
  columns: QueryColumn[];
  rows: unknown[][];
  decision: Decision;
  window: QueryWindow;
  truncated: boolean;
}

export interface ExplainedField {
  path: string;
  effect: "allow" | "deny";
  mask: string | null;
  clear_when: string | null;
  reasons: Reason[];
}

export interface ExplainedTable {
  name: string;
  dataset: string;
  effect: "allow" | "deny";
  reasons: Reason[];
  gaps: string[];
  filters: string[];
  grants: string[];
  fields: ExplainedField[];
}

export interface Explanation {
  decision: Decision;
  tables: ExplainedTable[];
  columns: QueryColumn[];
  sql: string | null;
  window: QueryWindow | null;
}

export interface Stage {
  name: string;
  approvers: unknown;
  quorum: number;
  approvedBy: string[];
}

export interface Vote {
  by: string;
  stage: string;
  verdict: string;
  at: string;
  comment?: string;
}

export interface AccessRequest {
  id: string;
  state: "pending" | "approved" | "denied" | "cancelled" | "expired";
  stage: string | null;
  requester: string;
  dataset: string;
  fields: string[];
  unmask?: string[];
  rows?: string | null;
  purpose: string;
  reason: string;
  from: string | null;
  until: string | null;
  createdAt: string | null;
  expiresAt: string | null;
  stages: Stage[];
  decisions: Vote[];
  grant?: string | null;
}

export interface Grant {
  name: string;
  status: string;
  subject: unknown;
  dataset: string;
  fields?: string[];
  unmask?: string[];
  rows?: string | null;
  purpose: string;
  validFrom?: string;
  validTo?: string;
  requestedBy?: string | null;
  approvedBy?: string[];
}

export interface LineageNode {
  id: string;
  type: "dataset" | "field" | "job";
  namespace?: string;
  name?: string;
  field?: string;
  owners?: string[];
  description?: string;
  [key: string]: unknown;
}

export interface LineageEdge {
  source: string;
  target: string;
  kind: string;
  job?: string | null;
  masked?: boolean;
  from?: string;
  to?: string | null;
  seen?: string;
  origin?: string;
  stale?: boolean;
  columns?: string;
}

export interface LineageAnswer {
  nodes: LineageNode[];
  edges: LineageEdge[];
  truncated: boolean;
}

export interface Affected {
  id: string;
  type: string;
  hops: number;
  raw: boolean;
  owners?: string[];
  via?: string;
  columns?: string;
}

export interface ImpactAnswer {
  root: string;
  affected: Affected[];
  truncated: boolean;
}

export interface JobRun {
  id: string;
  state?: string;
  started?: string | null;
  ended?: string | null;
  updated?: string | null;
}

export interface Job extends LineageNode {
  state?: string | null;
  runs?: JobRun[];
  reads?: string[];
  writes?: string[];
  parents?: string[];
  sql?: string;
  location?: Record<string, string>;
}

/** One way somebody may read a dataset or a field. `masked`: what they see is masked, by `mask`. */
export interface Access {
  kind: string;
  subject: string;
  via: string[];
  masked: boolean;
  mask: string | null;
  until: string | null;
  purpose: string | null;
  rows?: unknown;
  clearWhen?: string | null;
}

export interface Reader {
  kind: string;
  name: string;
  id?: string;
  last_seen?: string | null;
  owners?: string[];
}

export interface Place {
  namespace: string;
  name: string;
  reference?: string;
  path: string;
  entity?: string | null;
  state?: string | null;
  share?: number | null;
  evidence?: Evidence;
  owners?: string[];
  retention_ms?: number | null;
  cleanup_policy?: string | null;
  flows: { id: string; raw: boolean; columns?: string }[];
  readers: Reader[];
  access: Access[];
}

export interface WhereIs {
  asked: Record<string, unknown>;
  places: Place[];
  gaps: (string | Problem)[];
  [key: string]: unknown;
}

export interface AuditEntry {
  seq: number;
  at: string;
  actor: string;
  action: string;
  target: string;
  decision?: string | null;
  reasons?: (Reason | string)[];
  hash: string;
  [key: string]: unknown;
}

export interface Scan {
  id: string;
  state: "queued" | "running" | "done" | "failed" | "cancelled";
  progress: number | { done?: number; total?: number };
  request?: Record<string, unknown>;
  datasets: {
    name: string;
    namespace?: string;
    state?: string;
    records?: number;
    entities?: string[];
    error?: string;
    [key: string]: unknown;
  }[];
  problems: Problem[];
  requested_by?: string | null;
  created_at?: string | null;
  started_at?: string | null;
  finished_at?: string | null;
}

export interface Cluster {
  name: string;
  namespace?: string;
  cluster_id?: string | null;
  bootstrap_servers?: string[];
  bootstrapServers?: string[] | string;
  schema_registry?: string | null;
  datasets?: number;
}

export interface DeclaredDocument {
  apiVersion: string;
  kind: string;
  metadata: { name: string; [key: string]: unknown };
  spec: Record<string, unknown>;
}

export interface Me {
  user: string;
  groups?: string[];
  roles?: string[];
  permissions?: string[];
}
