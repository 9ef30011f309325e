// Governed queries: the shapes of the answers, as the HTTP contract states them.

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
  /** Why it is shown as it is stored: the grants, roles or ownership that open it. */
  opened?: string[];
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
  /** Absent where a row filter holds: they would count the rows that are not there. */
  records?: number;
  partitions?: { partition: number; start: number; end: number }[];
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
  /** Values that do not fit their column, by column; null where a limit cut them off. */
  unreadable?: Record<string, number> | null;
  /** The same as one sentence, with the fix. */
  unreadable_text?: string | null;
  /** What of the question was not done, or does not mean what it looks like. */
  notes?: string[];
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

/** What stands in a statement's way, and where: lines and columns from 1, the end exclusive. */
export interface SqlProblem {
  message: string;
  line: number;
  column: number;
  end_line?: number;
  end_column?: number;
  suggestion?: string | null;
}

/** A statement looked at without reading a record. `columns` is empty where it would not run. */
export interface Checked {
  ok: boolean;
  problems: SqlProblem[];
  columns: QueryColumn[];
  tables: { name: string; dataset: string; effect: string }[];
  emit_changes?: boolean;
}

export interface Proposed {
  label: string;
  kind: string;
  detail: string;
  insert: string;
}

/** A query that waits, runs or streams. `since`: when it began; `progress` 0..1 where the engine says. */
export interface RunningQuery {
  id: string;
  user: string;
  sql: string;
  purpose?: string | null;
  state: string;
  since: string | null;
  rows?: number | null;
  progress?: number | null;
  datasets: string[];
  mine?: boolean;
}
