// A part of the pages whose code comes when it is needed, or before.
import { type ComponentType, lazy, useEffect, useState } from "react";

export type Part<P> = ComponentType<P> & { fetch: () => Promise<unknown> };

/** Like React's `lazy`, but code that was fetched before is shown at once: `lazy` always shows its placeholder first, and
 * React then keeps that for 300 ms. `fetch` begins to fetch it. */
export function part<P extends object>(load: () => Promise<{ default: ComponentType<P> }>): Part<P> {
  let ready: ComponentType<P> | null = null;
  const fetch = async () => {
    const loaded = await load();
    ready = loaded.default;
    return loaded;
  };
  const Later = lazy(fetch);
  function Shown(props: P) {
    // What a mounted part began as it stays: another component would lose its state.
    const [Now] = useState(() => ready);
    return Now === null ? <Later {...props} /> : <Now {...props} />;
  }
  return Object.assign(Shown, { fetch });
}

/** Begins to fetch a part that is shown soon, while what it shows is on its way. */
export function useFetched({ fetch }: { fetch: () => Promise<unknown> }, soon = true): void {
  useEffect(() => {
    // A part that does not arrive is asked for again, and reported, when it is shown.
    if (soon) fetch().catch(() => undefined);
  }, [fetch, soon]);
}
