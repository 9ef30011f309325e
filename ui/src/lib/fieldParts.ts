// Choosing some of the fields of a request: what is inside a chosen field is chosen with it.

/** True when a field is inside another: `value.a.b` in `value.a`, `value.m{key}` in `value.m{}`. */
export function isInside(path: string, around: string): boolean {
  if (path === around) return false;
  const source = around.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/\\\{\\\}/g, "\\{[^}]*\\}");
  return new RegExp(`^${source}(?:$|[.[{@])`).test(path);
}

/** The chosen fields after one was switched: without a field nothing around it is chosen, with it all inside is. */
export function toggled(chosen: ReadonlySet<string>, path: string, all: readonly string[]): Set<string> {
  const next = new Set(chosen);
  if (chosen.has(path)) {
    for (const other of all) if (other === path || isInside(path, other)) next.delete(other);
  } else {
    for (const other of all) if (other === path || isInside(other, path)) next.add(other);
  }
  return next;
}
