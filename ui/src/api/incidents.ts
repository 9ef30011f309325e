// Incidents: what is wrong with datasets now, and what people do about it.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, weir } from "@/api/client";
import type { BrokenDatasets, IncidentDetails, Incidents } from "@/api/types";

export interface IncidentQuery {
  state?: ("open" | "acknowledged" | "resolved")[];
  dataset?: string;
  source?: string;
  assignee?: string;
}

/** Checks run every minute, so a page that stays open looks again. */
const LOOK = 30_000;

export function useIncidents(query: IncidentQuery) {
  return useQuery({
    queryKey: ["incidents", query],
    refetchInterval: LOOK,
    queryFn: ({ signal }) => answer<Incidents>(weir.GET("/api/v1/incidents", { params: { query }, signal })),
  });
}

/** Dataset as `namespace name` -> how many incidents are not resolved. */
export function useBrokenDatasets() {
  return useQuery({
    queryKey: ["incidents", "datasets"],
    refetchInterval: LOOK,
    queryFn: async ({ signal }) => {
      const found = await answer<BrokenDatasets>(weir.GET("/api/v1/incidents/datasets", { signal }));
      return new Map(found.datasets.map((each) => [`${each.namespace} ${each.name}`, each.incidents]));
    },
  });
}

export function useIncident(id: string) {
  return useQuery({
    queryKey: ["incident", id],
    refetchInterval: LOOK,
    queryFn: ({ signal }) =>
      answer<IncidentDetails>(weir.GET("/api/v1/incidents/{id}", { params: { path: { id } }, signal })),
  });
}

export type IncidentChange =
  | { kind: "acknowledge" }
  | { kind: "assign"; user: string | null }
  | { kind: "comment"; text: string }
  | { kind: "resolve"; resolution: "fixed" | "accepted" | "falseAlarm"; text: string };

export function useChangeIncident(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (change: IncidentChange) => answer<IncidentDetails>(changed(id, change)),
    onSuccess: (after) => {
      client.setQueryData(["incident", id], after);
      return client.invalidateQueries({ queryKey: ["incidents"] });
    },
  });
}

function changed(id: string, change: IncidentChange) {
  const params = { path: { id } };
  switch (change.kind) {
    case "acknowledge":
      return weir.POST("/api/v1/incidents/{id}/acknowledge", { params });
    case "assign":
      return weir.PUT("/api/v1/incidents/{id}/assignee", { params, body: { user: change.user } });
    case "comment":
      return weir.POST("/api/v1/incidents/{id}/comments", { params, body: { text: change.text } });
    case "resolve":
      return weir.POST("/api/v1/incidents/{id}/resolve", {
        params,
        body: { resolution: change.resolution, text: change.text },
      });
  }
}
