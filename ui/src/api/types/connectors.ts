// Connectors: names of the pages for the generated shapes of answers.
import type { components } from "@/api/schema";

type Shapes = components["schemas"];

export type Connector = Shapes["ConnectorRow"];
export type DescribedConnector = Shapes["DescribedConnector"];
