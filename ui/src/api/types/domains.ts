// Domains: names of the pages for the generated shapes of answers.
import type { components } from "@/api/schema";

type Shapes = components["schemas"];

export type ListedDomain = Shapes["ListedDomain"];
export type OneDomain = Shapes["OneDomain"];
export type DomainDataset = Shapes["DomainDataset"];
export type DomainAuditEntry = Shapes["DomainAuditEntry"];
