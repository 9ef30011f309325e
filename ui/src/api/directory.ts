// Whom a company's directory keeps here (SCIM); for those who manage.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { answer, weir } from "@/api/client";

export type PersonState = "active" | "deactivated" | "removed";

export interface DirectoryShown {
  address: string | null;
  people: Record<PersonState, number>;
  groups: number;
  rules: number;
}

export interface DirectoryPerson {
  name: string;
  displayName: string;
  state: PersonState;
  outSince: string | null;
  groups: string[];
  declared: boolean;
}

export interface DirectoryGroup {
  name: string;
  members: number;
  givesGroups: string[];
  givesRoles: string[];
}

export function useDirectory() {
  return useQuery({
    queryKey: ["directory"],
    queryFn: ({ signal }) => answer<DirectoryShown>(weir.GET("/api/v1/directory", { signal })),
  });
}

export function useDirectoryPeople(query: { state?: PersonState; text?: string; limit: number }) {
  return useQuery({
    queryKey: ["directory", "people", query],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      answer<{ people: DirectoryPerson[]; total: number }>(
        weir.GET("/api/v1/directory/people", { params: { query }, signal }),
      ),
  });
}

export function useDirectoryGroups(limit: number) {
  return useQuery({
    queryKey: ["directory", "groups", limit],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      answer<{ groups: DirectoryGroup[]; total: number }>(
        weir.GET("/api/v1/directory/groups", { params: { query: { limit } }, signal }),
      ),
  });
}
