// The masks that the API knows, and the parameter of each that the form shows.
import type { KnownMask } from "@/api/types";

/** The parameter of a mask that has a field in the form: its first. */
export function parameterOf(masks: readonly KnownMask[], name: string) {
  return masks.find((mask) => mask.name === name)?.parameters[0];
}

/** Names of masks to choose from, the one that is set among them. */
export function maskNames(masks: readonly KnownMask[], set: string): string[] {
  const names = masks.map((mask) => mask.name);
  return names.includes(set) ? names : [set, ...names];
}
