// Contracts: names of the pages for the generated shapes of answers.
import type { components } from "@/api/schema";

type Shapes = components["schemas"];

export type ContractSummary = Shapes["ContractSummary"];
export type Contract = Shapes["Contract"];
export type ContractRule = Shapes["ContractRule"];
