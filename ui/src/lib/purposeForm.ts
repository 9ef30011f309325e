// A purpose's document from a form, and the form from a document. What the form does not show stays as it was.
import type { DeclaredDocument } from "@/api/types";
import { object, over, same } from "@/lib/formParts";

/** The six of GDPR, Article 6 (1), a to f. A test compares them with the server's. */
export const LEGAL_BASES = [
  "consent",
  "contract",
  "legal-obligation",
  "vital-interests",
  "public-task",
  "legitimate-interests",
] as const;

export interface PurposeForm {
  name: string;
  parent: string;
  title: string;
  description: string;
  legalBasis: string;
  retention: string;
  owner: string;
  deprecated: boolean;
}

export const NEW_PURPOSE: PurposeForm = {
  name: "",
  parent: "",
  title: "",
  description: "",
  legalBasis: "",
  retention: "",
  owner: "",
  deprecated: false,
};

const TEXTS = ["parent", "title", "description", "legalBasis", "retention", "owner"] as const;

export function purposeDocument(form: PurposeForm, known?: DeclaredDocument): DeclaredDocument {
  const before = object(known?.spec);
  return {
    apiVersion: "weir/v1",
    kind: "Purpose",
    metadata: known?.metadata ?? { name: form.name.trim() },
    spec: over(before, {
      ...Object.fromEntries(TEXTS.map((key) => [key, form[key].trim()])),
      // `false` is what holds without it too.
      deprecated: form.deprecated || (before.deprecated === false ? false : undefined),
    }),
  };
}

export function purposeForm({ metadata, spec }: DeclaredDocument): PurposeForm {
  const given = Object.fromEntries(TEXTS.map((key) => [key, String(spec[key] ?? "")]));
  return { ...NEW_PURPOSE, ...given, name: String(metadata.name), deprecated: spec.deprecated === true };
}

/** Whether the form shows a document whole. */
export const purposeFits = (document: DeclaredDocument): boolean =>
  same(purposeDocument(purposeForm(document), document).spec, document.spec);

export type PurposeProblems = Partial<Record<keyof PurposeForm, string>>;

/** Why the form says too little yet, at its field. `declared`: names of all purposes; `known`: whether it is there already. */
export function purposeProblems(form: PurposeForm, declared: readonly string[], known: boolean): PurposeProblems {
  const name = form.name.trim();
  const parent = form.parent.trim();
  const problems: PurposeProblems = {};
  if (!name) problems.name = "Give the purpose a name, as in fraud or fraud.cards.";
  else if (!known && declared.includes(name))
    problems.name = `${name} is declared already; change it in the list below.`;
  if (parent && parent === name) problems.parent = "A purpose is not its own parent.";
  else if (parent && !declared.includes(parent)) problems.parent = `${parent} is not declared; declare it first.`;
  if (form.retention.trim() && !/^\d+[smhdw]$/.test(form.retention.trim()))
    problems.retention = "Write a number and s, m, h, d or w, as in 90d.";
  return problems;
}
