// Incidents: names of the pages for the generated shapes of answers.
import type { components } from "@/api/schema";

type Shapes = components["schemas"];

export type Incident = Shapes["Incident"];
export type IncidentDetails = Shapes["IncidentDetails"];
export type BrokenDatasets = Shapes["BrokenDatasets"];
export type Incidents = Shapes["Incidents"];
export type IncidentStep = Shapes["IncidentStep"];
