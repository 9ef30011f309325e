// Requests, grants, who may read what: names of the pages for the generated shapes of answers.
import type { components } from "@/api/schema";
import type { AtLeast } from "@/api/types/parts";

type Shapes = components["schemas"];

export type Stage = Shapes["RequestStage"];
export type Vote = Shapes["RequestDecision"];
export type AccessRequest = Shapes["AccessRequest"];
export type RequestMessage = Shapes["RequestMessage"];
export type RequestTemplate = Shapes["RequestTemplate"];
export type NotifyPreference = Shapes["NotifyPreference"];
export type NotifyStatus = Shapes["NotifyStatus"];
export type Notice = Shapes["Notice"];
export type Grant = Shapes["ListedGrant"];
export type Access = Shapes["Access"];
export type Me = AtLeast<Shapes["Me"], "user">;
export type Capability = Shapes["Capability"];
export type Delegation = Shapes["Delegation"];
export type AccessRule = Shapes["AccessRule"];
export type AccessEntry = Shapes["AccessEntry"];
export type SeenDataset = Shapes["SeenDataset"];
export type EffectiveAccess = Shapes["EffectiveAccess"];
export type RightsListing = Shapes["RightsListing"];
export type RightsEntry = Shapes["RightsEntry"];
export type RightsFindings = Shapes["RightsFindings"];
export type RightsFinding = Shapes["RightsFinding"];
export type RightsCluster = Shapes["RightsCluster"];
export type RightsHolder = Shapes["RightsHolder"];
export type RightsPrincipals = Shapes["RightsPrincipals"];
export type RightsPrincipal = Shapes["RightsPrincipal"];
export type PossibleOperation = Shapes["PossibleOperation"];
export type DatasetVisibility = Shapes["DatasetVisibility"];
export type PersonAccess = Shapes["PersonAccess"];
export type PurposeTree = Shapes["Purposes"];
export type DeclaredPurpose = Shapes["DeclaredPurpose"];
