// What to call the shapes of a topic's records.
import type { Shape } from "@/api/types";
import { lastName, shortPath } from "@/lib/paths";

/** `type = cart.opened` where a field tells the shape; else what sets it apart: `with gift_email, without phone`. */
export function shapeNames(shapes: readonly Shape[]): string[] {
  const held = new Map<string, number>();
  for (const shape of shapes) for (const path of shape.paths) held.set(path, (held.get(path) ?? 0) + 1);
  const varying = [...held].filter(([, n]) => n < shapes.length).map(([path]) => path);
  const names = shapes.map((shape) => told(shape) ?? apart(shape, varying, held));
  // Two shapes of one name would be a riddle: the later ones get a number.
  return names.map((name, i) => {
    const before = names.slice(0, i).filter((other) => other === name).length;
    return name === "" ? `shape ${i + 1}` : before > 0 ? `${name} (${before + 1})` : name;
  });
}

function told(shape: Shape): string | null {
  const when = shape.when;
  if (!when || Object.keys(when).length === 0) return null;
  if ("others" in when) return `${String(when.others)} rarer shapes`;
  if ("path" in when) {
    const value = when.value ?? when.values ?? when.equals ?? "";
    return `${lastName(String(when.path))} = ${Array.isArray(value) ? value.join(" or ") : String(value)}`;
  }
  return Object.entries(when)
    .map(([path, value]) => `${lastName(path)} = ${String(value)}`)
    .join(", ");
}

/** At most two fields it has and others lack, the rarest first; else what it lacks. Parents stand for what is inside. */
function apart(shape: Shape, varying: string[], held: Map<string, number>): string {
  const mine = new Set(shape.paths);
  const outermost = (paths: string[]) =>
    paths.filter((p) => !paths.some((q) => q !== p && p.startsWith(q) && /^[.[{@]/.test(p.slice(q.length))));
  const name = (paths: string[]) => paths.slice(0, 2).map(shortPath).join(" and ");
  const has = outermost(varying.filter((p) => mine.has(p))).sort((a, b) => (held.get(a) ?? 0) - (held.get(b) ?? 0));
  if (has.length > 0) return `with ${name(has)}`;
  const lacks = outermost(varying.filter((p) => !mine.has(p))).sort((a, b) => (held.get(b) ?? 0) - (held.get(a) ?? 0));
  return lacks.length > 0 ? `without ${name(lacks)}` : "";
}
