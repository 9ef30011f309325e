// A part of the pages whose code comes when it is needed, or before.
import { type ComponentType, lazy, useState } from "react";

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
