// A policy's document from a form, and the form from a document. What the form does not show stays as it was.
import type { DeclaredDocument, KnownMask } from "@/api/types";
import { type Json, linesOf, listFromText, object, over, same, texts } from "@/lib/formParts";
import { parameterOf } from "@/lib/masks";

export type PolicyType = "mask" | "access" | "row-filter";

export interface PolicyForm {
  name: string;
  type: PolicyType;
  description: string;
  tags: string;
  datasets: string;
  /** A line each: CLUSTER/TOPIC PATH. */
  fields: string;
  /** Everyone where empty: ana, group:team, role:reader. */
  who: string;
  except: string;
  mask: string;
  parameter: string;
  expression: string;
  where: string;
  grant: boolean;
  purposes: string;
}

export const NEW_POLICY: PolicyForm = {
  name: "",
  type: "mask",
  description: "",
  tags: "",
  datasets: "",
  fields: "",
  who: "",
  except: "",
  mask: "MASK",
  parameter: "",
  expression: "",
  where: "",
  grant: true,
  purposes: "",
};

const KINDS = [
  ["group:", "groups"],
  ["role:", "roles"],
  ["purpose:", "purposes"],
] as const;

/** `ana, group:team, role:reader` -> {users: [ana], groups: [team], roles: [reader]}; undefined where it is empty. */
export function peopleFromText(text: string): Json | undefined {
  const found: Record<string, string[]> = {};
  for (const word of listFromText(text)) {
    const [prefix, key] = KINDS.find(([start]) => word.startsWith(start)) ?? ["", "users"];
    const name = word.slice(prefix.length);
    if (name) found[key] = [...(found[key] ?? []), name];
  }
  return Object.keys(found).length > 0 ? found : undefined;
}

/** The same backwards. */
export function peopleText(of: unknown): string {
  const people = object(of);
  return [
    ...texts(people.users),
    ...KINDS.flatMap(([prefix, key]) => texts(people[key]).map((name) => prefix + name)),
  ].join(", ");
}

function fieldsFromText(text: string): Json[] {
  return linesOf(text).map((line) => {
    const [dataset = "", ...path] = line.split(/\s+/);
    return path.length > 0 ? { dataset, path: path.join(" ") } : { dataset };
  });
}

function maskOf(form: PolicyForm, before: Json, masks: readonly KnownMask[]): Json {
  const taken = parameterOf(masks, form.mask);
  const given = form.parameter.trim();
  const value = taken?.number && given !== "" && Number.isFinite(Number(given)) ? Number(given) : given;
  const params = over(form.mask === before.type ? object(before.params) : {}, taken ? { [taken.name]: value } : {});
  return {
    type: form.mask,
    ...(form.mask === "CUSTOM" ? { expression: form.expression.trim() } : {}),
    ...(Object.keys(params).length > 0 ? { params } : {}),
  };
}

/** `masks`: those that the API knows. */
export function policyDocument(
  form: PolicyForm,
  masks: readonly KnownMask[],
  known?: DeclaredDocument,
): DeclaredDocument {
  // Of another type, only what it is about and its description stay.
  const all = object(known?.spec);
  const before = all.type === form.type ? all : over({}, { match: all.match });
  const match = over(object(before.match), {
    tags: listFromText(form.tags),
    datasets: listFromText(form.datasets),
    fields: form.type === "row-filter" ? [] : fieldsFromText(form.fields),
  });
  const about: Json = { type: form.type, description: form.description.trim(), match };
  const people: Json = {
    subjects: subjectsOf(form.who, object(before.subjects)),
    except: exceptOf(form.except, object(before.except)),
  };
  const own: Record<PolicyType, Json> = {
    mask: { ...people, mask: maskOf(form, object(before.mask), masks) },
    "row-filter": { ...people, where: form.where.trim() },
    access: { requires: { grant: form.grant, ...purposesOf(form.purposes) } },
  };
  return {
    apiVersion: "weir/v1",
    kind: "Policy",
    metadata: known?.metadata ?? { name: form.name.trim() },
    spec: over(before, { ...about, ...own[form.type] }),
  };
}

function purposesOf(text: string): Json {
  const purpose = listFromText(text);
  return purpose.length > 0 ? { purpose } : {};
}

/** Subjects that a form cannot write, such as an exception inside of them, stay while their people are the same. */
function subjectsOf(text: string, before: Json): Json | undefined {
  if (text.trim() === peopleText(before) && Object.keys(before).length > 0) return before;
  const people = peopleFromText(text);
  const inner = before.except ? { except: before.except } : {};
  if (people) return { ...people, ...inner };
  return before.except ? { everyone: true, ...inner } : undefined;
}

function exceptOf(text: string, before: Json): Json | undefined {
  if (text.trim() === peopleText(before) && Object.keys(before).length > 0) return before;
  return peopleFromText(text);
}

export function policyForm({ metadata, spec }: DeclaredDocument, masks: readonly KnownMask[]): PolicyForm {
  const match = object(spec.match);
  const mask = object(spec.mask);
  const requires = object(spec.requires);
  const kind = String(mask.type ?? NEW_POLICY.mask);
  const parameter = parameterOf(masks, kind);
  const fields = Array.isArray(match.fields) ? match.fields.map(object) : [];
  return {
    name: String(metadata.name),
    type: (spec.type as PolicyType | undefined) ?? "mask",
    description: String(spec.description ?? ""),
    tags: texts(match.tags).join(", "),
    datasets: texts(match.datasets).join(", "),
    fields: fields.map((field) => [field.dataset, field.path].filter(Boolean).join(" ")).join("\n"),
    who: peopleText(spec.subjects),
    except: peopleText(spec.except),
    mask: kind,
    parameter: parameter ? String(object(mask.params)[parameter.name] ?? "") : "",
    expression: String(mask.expression ?? ""),
    where: String(spec.where ?? ""),
    grant: requires.grant !== false,
    purposes: texts(requires.purpose).join(", "),
  };
}

/** Whether the form shows a document whole: a name with a comma in it, for example, can only be changed as YAML. */
export function formFits(document: DeclaredDocument, masks: readonly KnownMask[]): boolean {
  const made = policyDocument(policyForm(document, masks), masks, document).spec;
  return same(made, document.spec);
}

/** Why the form says too little yet, a sentence each. */
export function policyProblems(form: PolicyForm, masks: readonly KnownMask[]): string[] {
  const problems: string[] = [];
  const fields = form.type === "row-filter" ? "" : form.fields;
  if (!form.name.trim()) problems.push("Give the policy a name.");
  if (!(form.tags + form.datasets + fields).trim())
    problems.push("Name what it is about: tags, datasets or fields; * for every dataset.");
  if (form.type === "row-filter" && !form.where.trim()) problems.push("Write the condition that a row has to satisfy.");
  if (form.type === "mask" && form.mask === "CUSTOM" && !form.expression.trim())
    problems.push("A custom mask needs an expression, with {col} for the column.");
  if (form.type === "access" && !form.grant && !form.purposes.trim())
    problems.push("Require a grant, a purpose, or both.");
  const parameter = form.type === "mask" ? parameterOf(masks, form.mask) : undefined;
  if (parameter?.number && form.parameter.trim() && !Number.isFinite(Number(form.parameter)))
    problems.push(`${parameter.name} is a number.`);
  return problems;
}
