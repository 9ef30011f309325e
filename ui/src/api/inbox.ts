// What waits for the caller.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, weir } from "@/api/client";
import type { components } from "@/api/schema";

type Schemas = components["schemas"];
export type Inbox = Schemas["Inbox"];
export type InboxRow = Schemas["InboxRow"];

/** How often an open page looks for what is new. */
const AGAIN_MS = 60_000;
/** The first look of a page shows what is counted by then; the whole inbox follows. */
const FIRST_S = 0.5;

export function useInbox() {
  const client = useQueryClient();
  return useQuery<Inbox>({
    queryKey: ["inbox"],
    refetchInterval: AGAIN_MS,
    queryFn: async ({ signal }) => {
      const look = (within?: number) =>
        answer<Inbox>(weir.GET("/api/v1/inbox", { signal, params: { query: { within } } }));
      if (client.getQueryData(["inbox"]) !== undefined) return look();
      const first = await look(FIRST_S);
      if (first.counting.length === 0) return first;
      client.setQueryData(["inbox"], first);
      return look();
    },
  });
}
