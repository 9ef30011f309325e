// Reports, audit, scans, clusters, declared documents: names of the pages for the generated shapes of answers.
import type { components } from "@/api/schema";
import type { AtLeast } from "@/api/types/parts";

type Shapes = components["schemas"];

export type Place = Shapes["Place"];
export type WhereIs = Shapes["WhereIs"];
export type AuditEntry = Shapes["AuditEntry"];
/** A CloudEvent. `type`: weir.schema.changed …; `subject`: what it is about. */
export type WeirEvent = AtLeast<Shapes["Event"], "id" | "type" | "subject" | "time" | "sequence" | "data">;
export type Scan = Shapes["Scan"];
export type TestedCluster = Shapes["TestedCluster"];
export type Cluster = Shapes["ListedCluster"];
export type DeclaredDocument = Shapes["DeclaredDocument"];
export type DocumentOrigin = Shapes["DocumentOrigin"];
export type KnownMask = Shapes["KnownMask"];
