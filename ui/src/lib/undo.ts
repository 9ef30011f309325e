// The last decision on detections, so that it can be taken back from the page it was made on.
import { useSyncExternalStore } from "react";
import type { ReviewState } from "@/api/types";
import { onSession } from "@/lib/session";

export interface Undoable {
  /** What was done, as in "3 detections rejected". */
  text: string;
  /** Each with the state it had before. */
  items: { namespace: string; name: string; path: string; entity: string; state: ReviewState }[];
}

let last: Undoable | null = null;
const listeners = new Set<() => void>();

export function offerUndo(next: Undoable | null): void {
  last = next;
  for (const listener of listeners) listener();
}

// What one user decided is not for the next to take back.
onSession(() => offerUndo(null));

export function useUndoable(): Undoable | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => last,
  );
}
