// Requests, grants, who may read what: the shapes of the answers, as the HTTP contract states them.

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
  /** Whether who asks may decide the present stage; absent where Weir does not say. */
  can_decide?: boolean;
  /** On whose behalf, where one decides for somebody absent. */
  instead_of?: string | null;
  /** Fields the grant would open, with the personal data in each. */
  opens?: { path: string; entities: string[]; clear?: boolean }[];
  /** How many others see all of it clear already. */
  holders?: number | null;
  breakGlass?: boolean;
  /** By when access that was taken at once must be reviewed. */
  reviewBy?: string | null;
  overdue?: boolean;
  /** The people who can decide the stage that waits. */
  deciders?: string[];
  /** How long requests for the dataset took to be decided, the median; null where none was yet. */
  usual_seconds?: number | null;
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
  /** Whether who asks may end it. */
  may_revoke?: boolean;
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
  /** What opens it, one by one; only grants have an end and a purpose. */
  ways?: { by: string; until: string | null; purpose: string | null }[];
}

export interface Me {
  user: string;
  groups?: string[];
  roles?: string[];
  permissions?: string[];
  /** Every permission there is: whether one holds it, and who does. */
  capabilities?: Record<string, Capability>;
}

export interface Capability {
  allowed: boolean;
  roles: string[];
  users: string[];
}

/** Who decides in somebody's place, and for how long. */
export interface Delegation {
  user: string;
  delegates: string[];
  from: string;
  until: string;
  active: boolean;
}
