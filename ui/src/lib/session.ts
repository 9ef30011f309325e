// Who is signed in on this tab: the token lives in sessionStorage and leaves with the tab.
import { useSyncExternalStore } from "react";

const KEY = "weir.token";
const listeners = new Set<() => void>();
let reason: string | null = null;

export function token(): string | null {
  return sessionStorage.getItem(KEY);
}

export function signIn(value: string): void {
  reason = null;
  sessionStorage.setItem(KEY, value.trim());
  for (const listener of listeners) listener();
}

export function signOut(why: string | null = null): void {
  reason = why;
  sessionStorage.removeItem(KEY);
  for (const listener of listeners) listener();
}

/** Why the last session ended, where it was not the user who ended it. */
export function endedBecause(): string | null {
  return reason;
}

/** Calls `listener` whenever somebody signs in or out. */
export function onSession(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useToken(): string | null {
  return useSyncExternalStore(onSession, token);
}
