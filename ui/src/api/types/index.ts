// The shapes of the answers. What is sent is checked against the generated schema.d.ts; answers are open there.

export type * from "@/api/types/access";
export type * from "@/api/types/catalog";
export type * from "@/api/types/connectors";
export type * from "@/api/types/contracts";
export type * from "@/api/types/curation";
export type * from "@/api/types/domains";
export type * from "@/api/types/incidents";
export type * from "@/api/types/lineage";
export type * from "@/api/types/operation";
export type * from "@/api/types/quality";
export type * from "@/api/types/query";
export type * from "@/api/types/views";
