// The declared purposes.
import { useQuery } from "@tanstack/react-query";
import { answer, weir } from "@/api/client";
import type { PurposeTree } from "@/api/types";

/** The tree, and the purposes that the grants of who asks carry or cover. */
export function usePurposes() {
  return useQuery({
    queryKey: ["purposes"],
    staleTime: 30_000,
    queryFn: ({ signal }) => answer<PurposeTree>(weir.GET("/api/v1/purposes", { signal })),
  });
}
