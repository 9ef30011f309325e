// One topic as its brokers and its registry describe it; lag of every topic, for lists.
import { useQueries, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { answer, weir } from "@/api/client";
import type {
  Readers,
  SubjectDiff,
  Subjects,
  TopicAcls,
  TopicConfig,
  TopicGroups,
  TopicLag,
  TopicPartitions,
  TopicRate,
} from "@/api/types";

const at = (place: string, name: string) => ({ path: { namespace: place, name } });
/** Lag and offsets move: what is shown is asked for again while the page is open. */
const OFTEN = 10_000;

export function usePartitions(place: string, name: string) {
  return useQuery({
    queryKey: ["partitions", place, name],
    refetchInterval: OFTEN,
    queryFn: ({ signal }) =>
      answer<TopicPartitions>(
        weir.GET("/api/v1/datasets/{namespace}/{name}/partitions", { params: at(place, name), signal }),
      ),
  });
}

export function useTopicConfig(place: string, name: string) {
  return useQuery({
    queryKey: ["topic-config", place, name],
    queryFn: ({ signal }) =>
      answer<TopicConfig>(weir.GET("/api/v1/datasets/{namespace}/{name}/config", { params: at(place, name), signal })),
  });
}

/** `again`: milliseconds until the brokers are asked again; false: never. */
export function useTopicGroups(place: string, name: string, again: number | false = OFTEN) {
  return useQuery({
    queryKey: ["topic-groups", place, name],
    refetchInterval: again,
    queryFn: ({ signal }) =>
      answer<TopicGroups>(
        weir.GET("/api/v1/datasets/{namespace}/{name}/consumer-groups", { params: at(place, name), signal }),
      ),
  });
}

export function useTopicAcls(place: string, name: string, enabled: boolean) {
  return useQuery({
    queryKey: ["topic-acls", place, name],
    enabled,
    queryFn: ({ signal }) =>
      answer<TopicAcls>(weir.GET("/api/v1/datasets/{namespace}/{name}/acls", { params: at(place, name), signal })),
  });
}

export function useRate(place: string, name: string, hours: number) {
  return useQuery({
    queryKey: ["rate", place, name, hours],
    queryFn: ({ signal }) =>
      answer<TopicRate>(
        weir.GET("/api/v1/datasets/{namespace}/{name}/rate", {
          params: { ...at(place, name), query: { hours } },
          signal,
        }),
      ),
  });
}

/** How far each consumer group was behind, over time. The worker adds a sample a minute. */
export function useTopicLag(place: string, name: string, hours: number) {
  return useQuery({
    queryKey: ["topic-lag", place, name, hours],
    refetchInterval: 60_000,
    queryFn: ({ signal }) =>
      answer<TopicLag>(
        weir.GET("/api/v1/datasets/{namespace}/{name}/lag", {
          params: { ...at(place, name), query: { hours } },
          signal,
        }),
      ),
  });
}

export function useSubjects(place: string, name: string) {
  return useQuery({
    queryKey: ["subjects", place, name],
    queryFn: ({ signal }) =>
      answer<Subjects>(weir.GET("/api/v1/datasets/{namespace}/{name}/subjects", { params: at(place, name), signal })),
  });
}

/** A version of a subject, against an earlier one where that is given. */
export function useSubjectDiff(place: string, name: string, subject: string, version: number, before: number | null) {
  return useQuery({
    queryKey: ["subject-diff", place, name, subject, version, before],
    queryFn: ({ signal }) =>
      answer<SubjectDiff>(
        weir.GET("/api/v1/datasets/{namespace}/{name}/subjects/diff", {
          params: { ...at(place, name), query: { subject, version, ...(before === null ? {} : { before }) } },
          signal,
        }),
      ),
  });
}

export function useReaders(place: string, name: string) {
  return useQuery({
    queryKey: ["readers", place, name],
    queryFn: ({ signal }) =>
      answer<Readers>(weir.GET("/api/v1/datasets/{namespace}/{name}/readers", { params: at(place, name), signal })),
  });
}

/** Lag of all consumer groups of each topic (`CLUSTER/TOPIC`) together; topics that nobody reads are missing. */
export function useLags(clusters: string[]): Map<string, number> {
  const answers = useQueries({
    queries: clusters.map((name) => ({
      queryKey: ["cluster-groups", name],
      staleTime: 30_000,
      retry: false,
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        answer<{ groups: { topics: { topic: string; lag: number | null }[] }[] }>(
          weir.GET("/api/v1/clusters/{name}/consumer-groups", {
            params: { path: { name }, query: { limit: 500 } },
            signal,
          }),
        ),
    })),
  });
  const came = answers.map((a) => a.dataUpdatedAt).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: `came` changes when an answer does.
  return useMemo(() => {
    const found = new Map<string, number>();
    answers.forEach((one, i) => {
      for (const group of one.data?.groups ?? []) {
        for (const { topic, lag } of group.topics) {
          const reference = `${clusters[i]}/${topic}`;
          if (lag !== null) found.set(reference, (found.get(reference) ?? 0) + lag);
        }
      }
    });
    return found;
  }, [came, clusters]);
}
