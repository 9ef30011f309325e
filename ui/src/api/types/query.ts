// Governed queries: names of the pages for the generated shapes of answers.
import type { components } from "@/api/schema";

type Shapes = components["schemas"];

export type Reason = Shapes["PlacedReason"];
export type ColumnDecision = Shapes["ColumnDecision"];
export type QueryColumn = Shapes["QueryColumn"];
export type Decision = Shapes["QueryDecision"];
export type QueryWindow = Shapes["QueryWindow"];
export type QueryAnswer = Shapes["QueryAnswer"];
export type ExplainedTable = Shapes["ExplainedTable"];
export type Explanation = Shapes["Explanation"];
export type SqlProblem = Shapes["SqlProblem"];
export type Checked = Shapes["QueryCheck"];
export type Proposed = Shapes["Proposal"];
export type RunningQuery = Shapes["RunningQuery"];
export type Records = Shapes["Records"];
export type BrowsedRecord = Shapes["BrowsedRecord"];
export type SavedQuery = Shapes["SavedQuery"];
