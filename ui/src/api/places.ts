import { useMemo } from "react";
import { useClusters } from "@/api/scans";

/** namespace -> the name people use for its cluster: `kafka://10.0.0.7:9092` is `prod`. */
export function usePlaces(): ReadonlyMap<string, string> {
  const clusters = useClusters().data;
  return useMemo(
    () => new Map((clusters ?? []).flatMap((c) => (c.namespace ? [[c.namespace, c.name] as const] : []))),
    [clusters],
  );
}

/** cluster's name -> its namespace, as lineage writes it. */
export function useNamespaces(): { known: boolean; of: (place: string) => string } {
  const clusters = useClusters();
  const byName = useMemo(
    () => new Map((clusters.data ?? []).flatMap((c) => (c.namespace ? [[c.name, c.namespace] as const] : []))),
    [clusters.data],
  );
  return { known: !clusters.isPending, of: (place) => byName.get(place) ?? place };
}
