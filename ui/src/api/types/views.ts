// Stream views: names of the pages for the generated shapes of answers.
import type { components } from "@/api/schema";

type Shapes = components["schemas"];

export type View = Shapes["View"];
export type ViewClients = Shapes["ViewClients"];
export type ViewSample = Shapes["ViewSample"];
export type ViewRows = Shapes["ViewRows"];
export type ViewRemoval = Shapes["ViewRemoval"];
export type ViewDiff = Shapes["ViewDiff"];
export type RowsColumn = Shapes["RowsColumn"];
export type Freshness = Shapes["Freshness"];
