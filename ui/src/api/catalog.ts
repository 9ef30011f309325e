// Search, datasets, schemas, classifications.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { ApiError, answer, weir } from "@/api/client";
import type {
  Access,
  Classification,
  Dataset,
  DatasetDetails,
  Schema,
  SchemaChange,
  SchemaDiff,
  SearchAnswer,
} from "@/api/types";

type Chosen = string | null | undefined;

export interface SearchFilters {
  q: string;
  kind?: Chosen;
  entity?: Chosen;
  tag?: Chosen;
  owner?: Chosen;
  namespace?: Chosen;
  cluster?: Chosen;
  format?: Chosen;
  dataset?: Chosen;
  /** Datasets, each with its best fields. */
  grouped?: boolean;
}

/** The parameters of a search as the API takes them. */
export function searchQuery(filters: SearchFilters, limit: number, offset: number) {
  const { q, kind, entity, tag, owner, namespace, cluster, format, dataset, grouped } = filters;
  const one = (chosen: Chosen) => (chosen ? [chosen] : []);
  return {
    q,
    // What stands in an address bar may be anything; the API knows two kinds.
    kind: kind === "dataset" || kind === "field" ? [kind as "dataset" | "field"] : [],
    entity: one(entity),
    tag: one(tag),
    owner: one(owner),
    namespace: one(namespace),
    cluster: one(cluster),
    format: one(format),
    dataset: one(dataset),
    ...(grouped ? { group: "dataset" as const } : {}),
    limit,
    offset,
  };
}

export function search(filters: SearchFilters, limit: number, offset: number, signal?: AbortSignal) {
  const query = searchQuery(filters, limit, offset);
  return answer<SearchAnswer>(weir.GET("/api/v1/search", { params: { query }, ...aborted(signal) }));
}

export function useSearch(filters: SearchFilters, limit = 20, offset = 0, enabled = true) {
  return useQuery({
    queryKey: ["search", filters, limit, offset],
    queryFn: ({ signal }) => search(filters, limit, offset, signal),
    placeholderData: keepPreviousData,
    enabled,
  });
}

export interface Datasets {
  datasets: Dataset[];
  total: number;
}

export const DATASETS_KEY = ["datasets"];

export function fetchDatasets(signal?: AbortSignal, entity?: Chosen) {
  const query = { limit: 1000, ...(entity ? { entity } : {}) };
  return answer<Datasets>(weir.GET("/api/v1/datasets", { params: { query }, ...aborted(signal) }));
}

/** `entity`: only those with this kind of personal data. */
export function useDatasets(entity?: Chosen) {
  return useQuery({
    queryKey: entity ? [...DATASETS_KEY, entity] : DATASETS_KEY,
    queryFn: ({ signal }) => fetchDatasets(signal, entity),
  });
}

/** The path parameters of a dataset: `place` is its cluster's name or its namespace. */
const at = (place: string, name: string) => ({ namespace: place, name });
const aborted = (signal: AbortSignal | undefined) => (signal ? { signal } : {});

export function useDataset(place: string, name: string) {
  return useQuery({
    queryKey: ["dataset", place, name],
    queryFn: ({ signal }) =>
      answer<DatasetDetails>(
        weir.GET("/api/v1/datasets/{namespace}/{name}", { params: { path: at(place, name) }, signal }),
      ),
  });
}

export const schemaKey = (place: string, name: string, version?: number) => [
  "schema",
  place,
  name,
  version ?? "newest",
];

/** The schema, newest or of one version; null where no scan has learned one yet. */
export async function fetchSchema(place: string, name: string, version?: number, signal?: AbortSignal) {
  const params = { path: at(place, name), query: version ? { version } : {} };
  try {
    return await answer<Schema>(weir.GET("/api/v1/datasets/{namespace}/{name}/schema", { params, ...aborted(signal) }));
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

export function useSchema(place: string, name: string, version?: number) {
  return useQuery({
    queryKey: schemaKey(place, name, version),
    queryFn: ({ signal }) => fetchSchema(place, name, version, signal),
  });
}

export interface VersionEntry {
  version: number;
  createdAt?: string | null;
  changes?: SchemaChange[];
  fields?: number;
  shapes?: number;
}

/** Every version, newest first. */
export function useSchemaVersions(place: string, name: string) {
  return useQuery({
    queryKey: ["versions", place, name],
    queryFn: async ({ signal }) => {
      const versions = await answer<VersionEntry[]>(
        weir.GET("/api/v1/datasets/{namespace}/{name}/schema/versions", { params: { path: at(place, name) }, signal }),
      );
      return versions.sort((a, b) => b.version - a.version);
    },
  });
}

export function useSchemaDiff(place: string, name: string, from: number, to: number) {
  return useQuery({
    queryKey: ["diff", place, name, from, to],
    queryFn: ({ signal }) =>
      answer<SchemaDiff>(
        weir.GET("/api/v1/datasets/{namespace}/{name}/schema/diff", {
          params: { path: at(place, name), query: { from, to } },
          signal,
        }),
      ),
  });
}

export function fetchClassifications(place: string, name: string, signal?: AbortSignal) {
  return answer<Classification[]>(
    weir.GET("/api/v1/datasets/{namespace}/{name}/classifications", {
      params: { path: at(place, name) },
      ...aborted(signal),
    }),
  );
}

export function useClassifications(place: string, name: string) {
  return useQuery({
    queryKey: ["classifications", place, name],
    queryFn: ({ signal }) => fetchClassifications(place, name, signal),
  });
}

export function useDatasetAccess(place: string, name: string) {
  return useQuery({
    queryKey: ["access", place, name],
    queryFn: ({ signal }) =>
      answer<{ dataset: string; access: Access[] }>(
        weir.GET("/api/v1/datasets/{namespace}/{name}/access", { params: { path: at(place, name) }, signal }),
      ),
  });
}
