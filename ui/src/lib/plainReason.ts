// Reasons of decisions for people: names of masks and of kinds of personal data by their words.
import { entityWords } from "@/lib/entityWords";
import { MASK_NAMES, maskWords } from "@/lib/maskWords";

const MASKS = [...MASK_NAMES].sort((a, b) => b.length - a.length).join("|");
const MASK_OF = new RegExp(`\\b(${MASKS}) of (?=\\S)`, "g");
const MASK_BY = new RegExp(`\\b(${MASKS}) by (?=\\S)`, "g");
const TAGS = /\btag ([A-Z][A-Z0-9_]*)\b/g;
/** The tag before its evidence: "(EMAIL_ADDRESS: 100% of 502 values, suggested)". */
const EVIDENCE = /\(([A-Z][A-Z0-9_]*)(?=: )/g;
/** A path or a name is written as it is. */
const BEGINS_WITH_WORD = /^\p{Ll}\p{L}*(?=[\s:,]|$)/u;
const UNSCANNED = /\bby UNSCANNED:/;

/** "MASK_HASH by mask-email: tag EMAIL_ADDRESS." -> "Hashed by mask-email: e-mail address." */
export function plainReason(reason: string): string {
  const text = reason
    .replace(TAGS, (whole, tag: string) => (entityWords(tag) === tag ? whole : entityWords(tag)))
    .replace(EVIDENCE, (_, tag: string) => `(${entityWords(tag)}`)
    .replace(MASK_OF, (_, name: string) => `mask “${maskWords(name)}” of `)
    .replace(MASK_BY, (_, name: string) => `${maskWords(name)} by `)
    .replace(UNSCANNED, "by the rule for unscanned fields:");
  return BEGINS_WITH_WORD.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}
