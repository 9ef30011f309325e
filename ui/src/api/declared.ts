// Declared documents: read, check, apply.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, weir, yamlBody } from "@/api/client";
import type { components } from "@/api/schema";
import type { DeclaredDocument, DocumentOrigin, KnownMask } from "@/api/types";

export async function fetchDeclared(kind: string, name?: string, signal?: AbortSignal) {
  const params = { path: { kind }, query: name ? { name } : {} };
  const call = weir.GET("/api/v1/declared/{kind}", { params, ...(signal ? { signal } : {}) });
  return (await answer<{ documents: DeclaredDocument[] }>(call)).documents;
}

export function useDeclared(kind: string, enabled = true) {
  return useQuery({
    queryKey: ["declared", kind],
    enabled,
    queryFn: ({ signal }) => fetchDeclared(kind, undefined, signal),
  });
}

/** By name, where documents of a kind were applied from; for those who manage or read the audit. */
export function useOrigins(kind: string, enabled: boolean) {
  return useQuery({
    queryKey: ["declared", kind, "origins"],
    enabled,
    queryFn: async ({ signal }) => {
      const call = weir.GET("/api/v1/declared/{kind}/origins", { params: { path: { kind } }, signal });
      const { origins } = await answer<{ origins: DocumentOrigin[] }>(call);
      return new Map(origins.map((each) => [each.name, each]));
    },
  });
}

/** A name in a document that nothing has now. `refused`: a typing error, which is only applied with `allowUnknown`. */
export interface NameWarning {
  field: string;
  name: string;
  message: string;
  refused: boolean;
}

export interface Applied {
  changes: { action: string; kind: string; name: string; diff?: unknown; warnings?: NameWarning[] }[];
}

/** Sends YAML documents; with `dryRun` only tells what they would change. */
export function useApply() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ yaml, dryRun, allowUnknown = false }: { yaml: string; dryRun: boolean; allowUnknown?: boolean }) =>
      answer<Applied>(
        weir.POST("/api/v1/apply", {
          params: { query: { dryRun, allowUnknown } },
          ...yamlBody(yaml),
        }),
      ),
    onSuccess: (_, { dryRun }) => (dryRun ? undefined : client.invalidateQueries()),
  });
}

/** One thing that somebody would see otherwise. `path` null: which rows there are. */
export interface SeenChange {
  user: string;
  dataset: string;
  path: string | null;
  purpose?: string | null;
  change?: "gain" | "loss" | "other";
  before: unknown;
  after: unknown;
  reasons?: unknown;
}

export interface Simulated {
  changes: SeenChange[];
  gains: number;
  losses: number;
  total: number;
  truncated: boolean;
  note?: string | null;
  users?: number;
  datasets?: number;
}

/** Who would gain and lose what if these documents were applied. Nothing is written. */
export function useSimulate() {
  return useMutation({
    mutationFn: (yaml: string) => answer<Simulated>(weir.POST("/api/v1/policies/simulate", yamlBody(yaml))),
  });
}

/** Takes one declared document away; `name` of a dataset is CLUSTER/TOPIC. */
export function useDeleteDeclared() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (path: { kind: string; name: string }) =>
      answer(weir.DELETE("/api/v1/declared/{kind}/{name}", { params: { path } })),
    onSuccess: () => client.invalidateQueries(),
  });
}

/** Every mask that a policy may name, from what hides least to what hides most. */
export function useMasks() {
  return useQuery({
    queryKey: ["masks"],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => (await answer<{ masks: KnownMask[] }>(weir.GET("/api/v1/masks", { signal }))).masks,
  });
}

export interface MaskTried {
  mask: string;
  values: { value: unknown; masked: unknown }[];
  note?: string | null;
}

/** What a mask makes of values of one's own; nothing is kept. */
export function useMaskPreview() {
  return useMutation({
    mutationFn: (body: { mask: Record<string, unknown>; values: unknown[]; type: string }) =>
      answer<MaskTried>(weir.POST("/api/v1/policies/masks/preview", { body })),
  });
}

export type PolicyReach = components["schemas"]["PolicyReach"];

/** How far each policy reaches; for those who may know of every dataset. */
export function usePolicyReach(enabled: boolean) {
  return useQuery({
    queryKey: ["policy-reach"],
    enabled,
    queryFn: ({ signal }) =>
      answer<components["schemas"]["PolicyReaches"]>(weir.GET("/api/v1/policy-reach", { signal })),
  });
}
