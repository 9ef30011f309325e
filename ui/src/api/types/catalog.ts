// Search, datasets, schemas, personal data: names of the pages for the generated shapes of answers.
import type { components } from "@/api/schema";
import type { AtLeast, Either } from "@/api/types/parts";

type Shapes = components["schemas"];

export type Hit = Either<Shapes["DatasetHit"], Shapes["FieldHit"]>;
export type Why = Shapes["HitReasons"];
export type Held = Shapes["NeedleHeld"];
export type Suggestion = Shapes["SearchSuggestion"];
export type RelatedReason = Shapes["RelatedReason"];
export type RelatedAnswer = Shapes["RelatedDatasets"];
export type FacetValue = Shapes["FacetCount"];
export type SearchAnswer = Omit<Shapes["SearchAnswer"], "hits"> & { hits: Hit[] };
export type Dataset = Shapes["Dataset"];
export type DatasetDetails = Shapes["DatasetDetails"];
export type Reported = Shapes["Reported"];
export type Field = Shapes["FieldProfile"];
export type Shape = AtLeast<Shapes["Shape"], "share" | "paths">;
export type ScanWindow = AtLeast<Shapes["ScanWindow"], "records" | "complete">;
export type Envelope = Shapes["Envelope"];
export type Schema = Shapes["Schema"];
export type SchemaChange = AtLeast<Shapes["SchemaChange"], "change" | "path">;
export type SchemaDiff = Shapes["SchemaDiff"];
export type Evidence = Shapes["Evidence"];
export type ReviewState = Shapes["ReviewState"];
export type Classification = AtLeast<Shapes["Classification"], "path" | "entity" | "score" | "state" | "evidence">;
export type TopicPartitions = Shapes["TopicPartitions"];
export type TopicConfig = Shapes["TopicConfig"];
export type TopicGroups = Shapes["TopicGroups"];
export type TopicGroup = Shapes["TopicGroup"];
export type TopicLag = Shapes["TopicLag"];
export type TopicAcls = Shapes["TopicAcls"];
export type TopicRate = Shapes["TopicRate"];
export type Subjects = Shapes["Subjects"];
export type SubjectDiff = Shapes["SubjectDiff"];
export type Readers = Shapes["Readers"];
