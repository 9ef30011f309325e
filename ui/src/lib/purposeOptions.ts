// What a purpose picker offers.
import type { DeclaredPurpose } from "@/api/types";

export interface PurposeOption {
  name: string;
  text: string;
  /** False: it is there only to show what the others are under. */
  choosable: boolean;
}

/** The tree as indented options. `may` tells which can be chosen; a purpose that nothing choosable is under is left out. */
export function purposeOptions(
  purposes: readonly DeclaredPurpose[],
  may: (purpose: DeclaredPurpose) => boolean,
): PurposeOption[] {
  const shown = new Set(purposes.filter(may).flatMap((each) => each.path));
  return purposes
    .filter((each) => shown.has(each.name))
    .map((each) => ({
      name: each.name,
      text: `${"\u00a0\u00a0\u00a0".repeat(each.path.length - 1)}${each.name}${each.title ? ` – ${each.title}` : ""}`,
      choosable: may(each),
    }));
}

/** What one should know of a purpose before choosing it, in a sentence; nothing where nothing is declared of it. */
export function purposeTerms(of: DeclaredPurpose | undefined): string {
  if (!of) return "";
  const parts = [
    of.description.replace(/\.$/, ""),
    of.legalBasis && `legal basis: ${of.legalBasis.replaceAll("-", " ")}`,
    of.retention && `kept for ${of.retention}`,
    of.owner && `owner: ${of.owner}`,
  ].filter(Boolean);
  return parts.length > 0 ? `${parts.join("; ")}.` : "";
}
