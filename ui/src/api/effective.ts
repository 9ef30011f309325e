// Who has access to what, and why.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { answer, weir } from "@/api/client";
import type { DatasetVisibility, EffectiveAccess, PersonAccess } from "@/api/types";

export const PAGE = 100;

export interface AccessAsked {
  field: string;
  asOf: string;
  kind: "user" | "group" | "role";
  offset: number;
}

export function useEffectiveAccess(cluster: string, topic: string, { field, asOf, kind, offset }: AccessAsked) {
  return useQuery({
    queryKey: ["effective-access", cluster, topic, field, asOf, kind, offset],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      answer<EffectiveAccess>(
        weir.GET("/api/v1/access/datasets/{cluster}/{topic}", {
          params: {
            path: { cluster, topic },
            query: { field: field || null, asOf: asOf || null, kind: [kind], limit: PAGE, offset },
          },
          signal,
        }),
      ),
  });
}

/** Who may know of a dataset, by the documents that match it. */
export function useVisibility(namespace: string, name: string) {
  return useQuery({
    queryKey: ["visibility", namespace, name],
    queryFn: ({ signal }) =>
      answer<DatasetVisibility>(
        weir.GET("/api/v1/datasets/{namespace}/{name}/visibility", { params: { path: { namespace, name } }, signal }),
      ),
  });
}

export function usePersonAccess(name: string, asOf: string, offset: number) {
  return useQuery({
    queryKey: ["person-access", name, asOf, offset],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      answer<PersonAccess>(
        weir.GET("/api/v1/access/people/{name}", {
          params: { path: { name }, query: { asOf: asOf || null, limit: PAGE, offset } },
          signal,
        }),
      ),
  });
}

/** What somebody sees of one dataset themselves, for each purpose; asking about oneself is not audited. */
export function useOwnAccess(user: string | undefined, dataset: string) {
  return useQuery({
    queryKey: ["access", "own", user, dataset],
    enabled: user !== undefined,
    queryFn: ({ signal }) =>
      answer<PersonAccess>(
        weir.GET("/api/v1/access/people/{name}", {
          params: { path: { name: user ?? "" }, query: { dataset, limit: PAGE } },
          signal,
        }),
      ),
  });
}

/** The whole list as CSV. */
export async function accessFile(cluster: string, topic: string, field: string, asOf: string): Promise<Blob> {
  const given = await weir.GET("/api/v1/access/datasets/{cluster}/{topic}", {
    params: { path: { cluster, topic }, query: { field: field || null, asOf: asOf || null, format: "csv" } },
    parseAs: "blob",
  });
  return given.data as unknown as Blob;
}
