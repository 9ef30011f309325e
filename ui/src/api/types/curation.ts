// What people state about datasets: names of the pages for the generated shapes of answers.
import type { components } from "@/api/schema";

type Shapes = components["schemas"];

export type Curated = Shapes["Curated"];
export type GlossaryTerm = Shapes["Term"];
export type TermDetails = Shapes["TermDetails"];
export type DataProduct = Shapes["Product"];
export type ProductDataset = Shapes["ProductDataset"];
export type DatasetQuestion = Shapes["DatasetQuestion"];
export type DatasetQuestions = Shapes["DatasetQuestions"];
export type DatasetAnswer = Shapes["DatasetAnswer"];
export type OwnerSuggestions = Shapes["OwnerSuggestions"];
export type DescriptionChange = Shapes["DescriptionChange"];
export type ResponsibleFor = Shapes["ResponsibleFor"];
export type DatasetOwner = Shapes["DatasetOwner"];
