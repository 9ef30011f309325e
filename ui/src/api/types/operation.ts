// Reports, audit, scans, clusters, declared documents: the shapes of the answers, as the HTTP contract states them.
import type { Access } from "@/api/types/access";
import type { Evidence, Problem } from "@/api/types/catalog";
import type { Reason } from "@/api/types/query";

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

/** A CloudEvent. `type`: weir.schema.changed …; `subject`: what it is about. */
export interface WeirEvent {
  id: string;
  type: string;
  subject: string;
  time: string;
  sequence: string;
  data: Record<string, unknown>;
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
  /** False: met by a scan of its address only. */
  declared?: boolean;
}

export interface DeclaredDocument {
  apiVersion: string;
  kind: string;
  metadata: { name: string; [key: string]: unknown };
  spec: Record<string, unknown>;
}
