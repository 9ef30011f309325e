// What people state about datasets: certification and the like; the glossary; data products.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, weir } from "@/api/client";
import type { DataProduct, GlossaryTerm, TermDetails } from "@/api/types";

export function useGlossary() {
  return useQuery({
    queryKey: ["glossary"],
    queryFn: async ({ signal }) =>
      (await answer<{ terms: GlossaryTerm[] }>(weir.GET("/api/v1/glossary", { signal }))).terms,
  });
}

export function useTerm(name: string) {
  return useQuery({
    queryKey: ["glossary", name],
    queryFn: ({ signal }) =>
      answer<TermDetails>(weir.GET("/api/v1/glossary/{name}", { params: { path: { name } }, signal })),
  });
}

export function useProducts() {
  return useQuery({
    queryKey: ["products"],
    queryFn: async ({ signal }) =>
      (await answer<{ products: DataProduct[] }>(weir.GET("/api/v1/products", { signal }))).products,
  });
}

export function useProduct(name: string) {
  return useQuery({
    queryKey: ["products", name],
    queryFn: ({ signal }) =>
      answer<DataProduct>(weir.GET("/api/v1/products/{name}", { params: { path: { name } }, signal })),
  });
}

/** What to change; null takes away. */
export interface CurationChange {
  certification?: { by?: string; note?: string } | null;
  deprecation?: { reason?: string; successor?: string; date?: string } | null;
  announcements?: { text: string; from?: string; until?: string }[] | null;
  properties?: Record<string, string | number | boolean | null>;
  owners?: { user?: string; group?: string; roles: ("business" | "technical")[] }[];
}

export function useCurate(namespace: string, name: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: CurationChange) =>
      answer<unknown>(
        weir.PATCH("/api/v1/datasets/{namespace}/{name}/curation", { params: { path: { namespace, name } }, body }),
      ),
    onSuccess: () => client.invalidateQueries(),
  });
}
