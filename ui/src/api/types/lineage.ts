// The graph, what is affected, jobs: names of the pages for the generated shapes of answers.
import type { components } from "@/api/schema";
import type { AtLeast } from "@/api/types/parts";

type Shapes = components["schemas"];

export type LineageEdge = AtLeast<Shapes["LineageEdge"], "source" | "target" | "kind">;
export type LineageAnswer = Pick<Shapes["LineageOfBoth"], "nodes" | "truncated" | "columnsUnknown"> & {
  root?: string;
  edges: LineageEdge[];
};
/** What the last runs read and write, or where contents come from since they were overwritten. */
export type Basis = Shapes["Impact"]["basis"];
export type ClockAhead = Shapes["ClockAhead"];
export type LineageNode = Shapes["LineageNode"];
export type Affected = AtLeast<Shapes["Affected"], "id" | "type" | "hops" | "raw">;
export type ImpactAnswer = Shapes["Impact"];
export type ImpactAnnounced = Shapes["ImpactAnnounced"];
export type JobRun = Shapes["JobRun"];
export type Job = Shapes["Job"];
export type Reached = Shapes["Reach"];
