// Who is signed in: a token that is in sessionStorage and leaves with the tab, else the session of this browser, whose
// cookie no script can read.
import { useSyncExternalStore } from "react";
import { reading } from "@/lib/activity";

const KEY = "weir.token";
const CHANNEL = "weir.session";

export interface Provider {
  name: string;
  title: string;
}

interface BrowserSession {
  id: string;
  user: string;
  provider: string;
  csrf: string;
}

interface LogoutAnswer {
  address?: string | null;
  error?: { message?: string };
}

const listeners = new Set<() => void>();
let reason: string | null = null;
let session: BrowserSession | null = null;
let providers: Provider[] = [];
let known = false;
let signOutThere: string | null = null;
/** Why it is not known who is signed in; the session may go on. */
let problem: string | null = null;
/** Why the session is over while its page stays, and what waits until somebody signs in again. */
let interrupted: string | null = null;
let waiting: { promise: Promise<boolean>; end: (again: boolean) => void } | null = null;

function changed(): void {
  for (const listener of listeners) listener();
}

/** The bearer token of this tab. */
export function bearer(): string | null {
  return sessionStorage.getItem(KEY);
}

/** What distinguishes one signed-in user from the next: never the secret of a session. */
export function token(): string | null {
  return bearer() ?? (session ? `session of ${session.user}` : null);
}

/** What a request that changes something carries, where a cookie signs it in. */
export function csrf(): string | null {
  return bearer() === null ? (session?.csrf ?? null) : null;
}

export function signIn(value: string): void {
  reason = null;
  signOutThere = null;
  sessionStorage.setItem(KEY, value.trim());
  changed();
}

export function signOut(why: string | null = null): void {
  reason = why;
  if (bearer() === null) session = null;
  sessionStorage.removeItem(KEY);
  changed();
}

/** Ends the browser's session at Weir, then here. Without one, forgets the token of this tab. Throws an error of one
 * sentence when Weir did not end the session: the user is still signed in, and must not believe otherwise. */
export async function leave(): Promise<void> {
  const header = csrf();
  if (header !== null) {
    const answer = await fetch("/api/v1/auth/logout", { method: "POST", headers: { "X-Weir-CSRF": header } }).catch(
      () => null,
    );
    const body = (await answer?.json().catch(() => null)) as LogoutAnswer | null | undefined;
    // 401: the session was over before.
    if (!answer?.ok && answer?.status !== 401)
      throw new Error(`You are still signed in: ${body?.error?.message ?? "Weir did not answer."} Sign out once more.`);
    signOutThere = body?.address ?? null;
    new BroadcastChannel(CHANNEL).postMessage("changed");
  }
  signOut();
}

/** Reads which session this browser has, and how one can sign in. A Weir that does not answer, or one whose provider does
 * not, leaves all as it was. */
export async function readSession(): Promise<void> {
  let why: string | null = "Weir does not answer, so it is not known whether you are signed in.";
  try {
    const answer = await fetch("/api/v1/auth/session", { headers: reading() });
    if (answer.ok) {
      const state = (await answer.json()) as {
        providers: Provider[];
        session: BrowserSession | null;
        ended: string | null;
        problem: string | null;
      };
      providers = state.providers;
      why = state.problem;
      const before = session;
      if (state.session !== null || (interrupted === null && why === null)) session = state.session;
      if (state.session === null && why === null && before === null && bearer() === null)
        reason = state.ended ?? reason;
      if (before !== null && state.session !== null && before.user !== state.session.user && bearer() === null) {
        // What is on the page was another person's.
        window.location.reload();
        return;
      }
      if (state.session !== null) resume(true);
    }
  } catch {
    // `why` has the sentence.
  }
  problem = why;
  known = true;
  changed();
}

/** Keeps the page as it is while somebody signs in again; false when they leave it. */
export function interrupt(why: string): Promise<boolean> {
  if (waiting === null) {
    let end: (again: boolean) => void = () => undefined;
    const promise = new Promise<boolean>((resolve) => {
      end = resolve;
    });
    waiting = { promise, end };
    interrupted = why;
    changed();
  }
  return waiting.promise;
}

export function resume(again: boolean): void {
  waiting?.end(again);
  waiting = null;
  interrupted = null;
  changed();
}

/** Other tabs of this browser learn of a sign-in; they may be waiting for it. */
export function announce(): void {
  new BroadcastChannel(CHANNEL).postMessage("changed");
}

/** Follows what other tabs do, and comes back to a tab. */
export function followOtherTabs(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = () => void readSession();
  window.addEventListener("focus", () => {
    if (interrupted !== null) void readSession();
  });
}

/** Where the browser signs in; `back` is the page to come back to. */
export function signInAddress(provider: string, back: string): string {
  return `/api/v1/auth/login/${encodeURIComponent(provider)}?return=${encodeURIComponent(back)}`;
}

/** Why the last session ended, where it was not the user who ended it. */
export function endedBecause(): string | null {
  return reason;
}

/** Where one signs out at the provider too, after signing out here. */
export function signOutAddress(): string | null {
  return signOutThere;
}

/** Calls `listener` whenever somebody signs in or out. */
export function onSession(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useToken(): string | null {
  return useSyncExternalStore(onSession, token);
}

export function useProviders(): Provider[] {
  return useSyncExternalStore(onSession, () => providers);
}

/** Why it is not known who is signed in. */
export function useProblem(): string | null {
  return useSyncExternalStore(onSession, whatFailed);
}

export function whatFailed(): string | null {
  return problem;
}

/** False until it is known whether this browser has a session. */
export function useKnown(): boolean {
  return useSyncExternalStore(onSession, () => known || bearer() !== null);
}

export function useInterrupted(): string | null {
  return useSyncExternalStore(onSession, () => interrupted);
}
