// Search, datasets, schemas, personal data: the shapes of the answers, as the HTTP contract states them.

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
  types?: string[];
  presence?: number;
  score: number;
  highlights?: Record<string, string[]>;
  /** `CLUSTER/TOPIC` of the dataset. */
  reference?: string;
  why?: Why | null;
  /** Of a grouped answer: the best fields, how many fit, and whether those are all. */
  best_fields?: Hit[];
  matching_fields?: number;
  matching_fields_complete?: boolean;
}

/** Why a hit has its place: numbers by reason, and how it holds each thing that was sought. */
export interface Why {
  held?: Held[];
  [reason: string]: number | Held[] | undefined;
}

export interface Held {
  needle: string;
  missing?: boolean;
  in?: string;
  how?: string;
  quality?: number;
}

export interface Suggestion {
  text: string;
  kind: string;
  of?: string | null;
}

export interface RelatedReason {
  kind: "shared_key" | "read_together" | "lineage";
  field?: string;
  other?: string;
  type?: string;
  tags?: string[];
  queries?: number;
  direction?: "upstream" | "downstream";
  distance?: number;
}

export interface RelatedDataset {
  dataset: string;
  namespace: string;
  name: string;
  cluster: string | null;
  description: string;
  reasons: RelatedReason[];
}

export interface RelatedAnswer {
  dataset: string;
  related: RelatedDataset[];
  total: number;
  missing: { kind: string; message: string }[];
}

export interface FacetValue {
  value: string;
  count: number;
}

export interface SearchAnswer {
  total: number;
  hits: Hit[];
  facets: Record<string, FacetValue[]>;
  /** Words of the query that the best hit lacks. */
  left_out?: string[];
  did_you_mean?: string | null;
}

export interface Dataset {
  namespace: string;
  name: string;
  cluster: string | null;
  reference: string;
  source?: "lineage" | "catalog";
  description: string;
  description_source?: "user" | "producer" | null;
  reported?: Reported;
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
  scan: {
    at?: string;
    records?: number;
    time_from?: string | null;
    time_to?: string | null;
    unscanned?: string[];
    problems?: Problem[];
    error?: string;
  };
  /** rows: counts and positions of records. */
  withheld?: string[];
  usage?: number;
  created_at?: string | null;
  updated_at?: string | null;
  last_seen_at?: string | null;
  scanned_at?: string | null;
  deleted_at?: string | null;
}

/** What producers of lineage report; one dataset's own page has the facets, the list a summary. */
export interface Reported {
  description?: string;
  type?: string;
  lifecycle?: string;
  columns?: number;
  columnsLeftOut?: number;
  facets?: Record<string, { at?: string | null; [key: string]: unknown }>;
  names?: { namespace: string; name: string }[];
  logOnly?: string[];
}

/** One dataset's own page holds a little more than the list. */
export interface DatasetDetails extends Dataset {
  /** What who asks may do with it. */
  may: { edit: boolean; review: boolean; access: boolean; scan: boolean };
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
  /** null where only producers name the field: nobody has looked. */
  presence: number | null;
  null_share: number | null;
  count?: number | null;
  distinct?: number | null;
  lengths?: [number, number] | null;
  /** Names of figures that the reader does not see. */
  withheld?: string[];
  details?: Record<string, unknown> & { first_seen?: { time?: string; partition: number; offset: number } };
}

export interface Shape {
  share: number;
  paths: string[];
  when?: Record<string, unknown> | null;
}

export interface ScanWindow {
  records?: number | null;
  withheld?: boolean;
  time_from?: string | null;
  time_to?: string | null;
  strategy?: string;
  complete?: boolean;
  partitions?: { partition: number; begin: number; end: number; read: number; ranges?: [number, number][] }[];
}

/** What the records of a part are wrapped in; `unlisted` places only describe the payload and are no fields. */
export interface Envelope {
  layers: string[];
  payload: string[];
  discriminator: string | null;
  fits?: number;
  records?: number;
  unlisted: string[];
}

export interface Schema {
  version: number;
  source?: "scan" | "lineage";
  format: Record<string, string>;
  fields: Field[];
  shapes: Shape[];
  window: ScanWindow;
  created_at?: string | null;
  problems?: Problem[];
  envelopes?: Record<string, Envelope>;
  /** rows: counts of records; fields: figures of some fields. */
  withheld?: string[];
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
  /** Counts are left out, as the reader may not see them. */
  withheld?: boolean;
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
