// What waits for the caller.
import { useQuery } from "@tanstack/react-query";
import { answer, weir } from "@/api/client";
import type { components } from "@/api/schema";

type Schemas = components["schemas"];
export type Inbox = Schemas["Inbox"];
export type InboxRow = Schemas["InboxRow"];

/** How often an open page looks for what is new. */
const AGAIN_MS = 60_000;

export function useInbox() {
  return useQuery({
    queryKey: ["inbox"],
    refetchInterval: AGAIN_MS,
    queryFn: ({ signal }) => answer<Inbox>(weir.GET("/api/v1/inbox", { signal })),
  });
}
