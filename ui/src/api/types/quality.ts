// Quality over time: names of the pages for the generated shapes of answers.
import type { components } from "@/api/schema";

type Shapes = components["schemas"];

export type DatasetQuality = Shapes["DatasetQuality"];
export type QualitySeries = Shapes["QualitySeries"];
export type QualityResolution = DatasetQuality["resolution"];
export type QualityMark = Shapes["QualityMark"];
export type MarkKind = QualityMark["kind"];
export type Anomalies = Shapes["Anomalies"];
export type Anomaly = Shapes["Anomaly"];
