// The graph, what is affected, jobs: the shapes of the answers, as the HTTP contract states them.

/** What the last runs read and write, or where contents come from since they were overwritten. */
export type Basis = "last_run" | "contents";

/** Both times of an event that was dated after it arrived; it counts from its arrival. */
export interface ClockAhead {
  claimed: string;
  arrived: string;
}

export interface LineageNode {
  id: string;
  type: "dataset" | "field" | "job";
  namespace?: string;
  name?: string;
  field?: string;
  owners?: string[];
  description?: string;
  clockAhead?: ClockAhead | null;
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
  /** Only runs that have not completed report it. */
  unfinished?: boolean;
}

export interface LineageAnswer {
  /** The node that was asked for, by the name the graph knows it by. */
  root?: string;
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
  jobType?: string | null;
  /** What a change does to it, where one was asked about: breaks, may_break, changes, loses_input. */
  effect?: string;
  /** The commit a job was built from, as it says itself. */
  commit?: string;
  location?: { url?: string };
}

export interface ImpactAnswer {
  root: string;
  basis?: Basis;
  affected: Affected[];
  truncated: boolean;
}

export interface JobRun {
  id: string;
  state?: string;
  clockAhead?: ClockAhead | null;
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

/** Whether data of one node could have got to another: `raw` while nothing on the way masks it. */
export interface Reached {
  from: string;
  to: string;
  could: boolean;
  confirmed?: boolean;
  raw?: boolean;
  arrival?: string | null;
  path?: LineageEdge[];
  truncated?: boolean;
}
