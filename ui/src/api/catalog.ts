// Search, datasets, schemas, classifications.
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ApiError, api, v1 } from "@/api/client";
import type {
  Access,
  Classification,
  Dataset,
  DatasetDetails,
  ReviewState,
  Schema,
  SchemaChange,
  SchemaDiff,
  SearchAnswer,
} from "@/api/types";

export interface SearchFilters {
  q: string;
  kind?: string | null | undefined;
  entity?: string | null | undefined;
  tag?: string | null | undefined;
  owner?: string | null | undefined;
  namespace?: string | null | undefined;
}

export function useSearch(filters: SearchFilters, limit = 20, offset = 0, enabled = true) {
  return useQuery({
    queryKey: ["search", filters, limit, offset],
    queryFn: ({ signal }) => api.get<SearchAnswer>("/api/v1/search", { ...filters, limit, offset }, signal),
    placeholderData: keepPreviousData,
    enabled,
  });
}

export function useDatasets(limit = 1000) {
  return useQuery({
    queryKey: ["datasets", limit],
    queryFn: async ({ signal }) => {
      const answer = await api.get<{ datasets: Dataset[]; total?: number }>("/api/v1/datasets", { limit }, signal);
      return { datasets: answer.datasets, total: answer.total ?? answer.datasets.length };
    },
  });
}

export function useDataset(place: string, name: string) {
  return useQuery({
    queryKey: ["dataset", place, name],
    queryFn: ({ signal }) => api.get<DatasetDetails>(v1("datasets", place, name), {}, signal),
  });
}

/** The schema, newest or of one version; null where no scan has learned one yet. */
export function useSchema(place: string, name: string, version?: number) {
  return useQuery({
    queryKey: ["schema", place, name, version ?? "newest"],
    queryFn: async ({ signal }) => {
      try {
        return await api.get<Schema>(`${v1("datasets", place, name)}/schema`, { version }, signal);
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      }
    },
  });
}

export interface VersionEntry {
  version: number;
  created_at?: string | null;
  changes?: SchemaChange[];
  fields?: number;
  shapes?: number;
}

export function useSchemaVersions(place: string, name: string) {
  return useQuery({
    queryKey: ["versions", place, name],
    queryFn: async ({ signal }) => {
      const versions = await api.get<VersionEntry[]>(`${v1("datasets", place, name)}/schema/versions`, {}, signal);
      return versions.sort((a, b) => b.version - a.version);
    },
  });
}

export function useSchemaDiff(place: string, name: string, from: number, to: number) {
  return useQuery({
    queryKey: ["diff", place, name, from, to],
    queryFn: ({ signal }) => api.get<SchemaDiff>(`${v1("datasets", place, name)}/schema/diff`, { from, to }, signal),
  });
}

export function useClassifications(place: string, name: string) {
  return useQuery({
    queryKey: ["classifications", place, name],
    queryFn: ({ signal }) => api.get<Classification[]>(`${v1("datasets", place, name)}/classifications`, {}, signal),
  });
}

export interface Review {
  path: string;
  entity: string;
  state: Exclude<ReviewState, "suggested">;
  reason: string;
}

/** Confirms or rejects a suggestion. */
export function useReview(place: string, name: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (review: Review) => api.post(`${v1("datasets", place, name)}/classifications`, review),
    onSuccess: () => {
      client.invalidateQueries({ queryKey: ["classifications"] });
      client.invalidateQueries({ queryKey: ["suggestions"] });
      client.invalidateQueries({ queryKey: ["search"] });
      client.invalidateQueries({ queryKey: ["where-is"] });
    },
  });
}

export function useDatasetAccess(place: string, name: string) {
  return useQuery({
    queryKey: ["access", place, name],
    queryFn: ({ signal }) =>
      api.get<{ dataset: string; access: Access[] }>(`${v1("datasets", place, name)}/access`, {}, signal),
  });
}
