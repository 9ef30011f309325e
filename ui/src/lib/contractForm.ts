// A contract from a form, over the document that a scan or a person wrote. What the form does not show stays as it was.
import type { DeclaredDocument } from "@/api/types";
import { type Json, linesOf, object, same } from "@/lib/formParts";

/** One field as it is promised. Texts are what is written in the form; empty: nothing is promised of that. */
export interface FieldRule {
  path: string;
  /** Where it is in the document. */
  at: readonly (string | number)[];
  type: string;
  /** Numbers have a smallest and a largest value, texts a shortest and a longest. */
  limits: "value" | "length" | null;
  promised: boolean;
  required: boolean;
  least: string;
  most: string;
  /** A line each. */
  values: string;
}

export interface ContractForm {
  name: string;
  version: string;
  status: string;
  promisedBy: string;
  purpose: string;
  /** As in `30 m`. */
  latency: string;
  retention: string;
  checkEvery: string;
  fields: FieldRule[];
}

export const STATUSES = ["draft", "active", "deprecated", "retired"] as const;
const LEVELS = ["latency", "retention"] as const;

const list = (value: unknown): Json[] => (Array.isArray(value) ? value.map(object) : []);

export function contractForm(spec: Json, name: string): ContractForm {
  const elements = list(spec.schema);
  return {
    name,
    version: String(spec.version ?? ""),
    status: String(spec.status ?? "draft"),
    promisedBy: String(object(spec.team).name ?? ""),
    purpose: String(object(spec.description).purpose ?? ""),
    latency: levelOf(spec, "latency"),
    retention: levelOf(spec, "retention"),
    checkEvery: String(list(elements[0]?.customProperties).find(isCheckEvery)?.value ?? ""),
    fields: elements.flatMap((element, i) =>
      rulesIn(element, elements.length > 1 ? `${String(element.name)} value` : "value", ["schema", i]),
    ),
  };
}

const isCheckEvery = (custom: Json) => custom.property === "checkEvery";

function levelOf(spec: Json, property: string): string {
  const level = list(spec.slaProperties).find((each) => each.property === property);
  return level ? [level.value, level.unit].filter((part) => part != null).join(" ") : "";
}

function rulesIn(node: Json, path: string, at: readonly (string | number)[]): FieldRule[] {
  const own = list(node.properties).flatMap((field, i) => {
    const place = `${path}.${String(field.name)}`;
    const here = [...at, "properties", i];
    return [ruleOf(field, place, here), ...rulesIn(field, place, here)];
  });
  const items = object(node.items);
  return [...own, ...(node.items ? rulesIn(items, `${path}[]`, [...at, "items"]) : [])];
}

function ruleOf(field: Json, path: string, at: readonly (string | number)[]): FieldRule {
  const options = object(field.logicalTypeOptions);
  const logical = String(field.logicalType ?? "");
  const limits = /^(integer|number)$/.test(logical) ? "value" : logical === "string" ? "length" : null;
  const [least, most] = KEYS[limits ?? "value"];
  return {
    path,
    at,
    type: String(field.physicalType ?? logical),
    limits,
    promised: true,
    required: field.required === true,
    least: limits ? text(options[least]) : "",
    most: limits ? text(options[most]) : "",
    values: (allowed(field) ?? []).map(String).join("\n"),
  };
}

const KEYS = { value: ["minimum", "maximum"], length: ["minLength", "maxLength"] } as const;
const text = (value: unknown) => (value == null ? "" : String(value));
const isValues = (rule: Json) => rule.metric === "invalidValues" && object(rule.arguments).validValues !== undefined;

function allowed(field: Json): unknown[] | undefined {
  const listed = field.enum ?? object(list(field.quality).find(isValues)?.arguments).validValues;
  return Array.isArray(listed) ? listed : undefined;
}

/** The document with what the form changed. */
export function contractSpec(form: ContractForm, base: Json): Json {
  const before = contractForm(base, form.name);
  const spec = structuredClone(base);
  set(spec, "version", form.version.trim());
  set(spec, "status", form.status);
  if (form.promisedBy !== before.promisedBy) spec.team = { ...object(spec.team), name: form.promisedBy.trim() };
  if (form.purpose !== before.purpose) spec.description = { ...object(spec.description), purpose: form.purpose.trim() };
  for (const level of LEVELS) if (form[level] !== before[level]) setLevel(spec, level, form[level]);
  if (form.checkEvery !== before.checkEvery) setCheckEvery(spec, form.checkEvery.trim());
  const old = new Map(before.fields.map((rule) => [rule.path, rule]));
  for (const rule of form.fields) change(object(nodeAt(spec, rule.at)), rule, old.get(rule.path) ?? rule);
  drop(
    spec,
    form.fields.filter((rule) => !rule.promised),
  );
  return spec;
}

function set(of: Json, key: string, value: unknown): void {
  if (value === "" || value === undefined) delete of[key];
  else of[key] = value;
}

function setLevel(spec: Json, property: string, given: string): void {
  const others = list(spec.slaProperties).filter((each) => each.property !== property);
  const [, value, unit] = LEVEL.exec(given.trim()) ?? [];
  const levels = value ? [...others, { property, value: Number(value), unit }] : others;
  set(spec, "slaProperties", levels.length > 0 ? levels : undefined);
}

const LEVEL = /^(\d+(?:\.\d+)?) ?([smhd])$/;

function setCheckEvery(spec: Json, value: string): void {
  for (const element of Array.isArray(spec.schema) ? (spec.schema as Json[]) : []) {
    const others = list(element.customProperties).filter((custom) => !isCheckEvery(custom));
    const all = value ? [...others, { property: "checkEvery", value }] : others;
    set(element, "customProperties", all.length > 0 ? all : undefined);
  }
}

const nodeAt = (spec: unknown, at: readonly (string | number)[]): unknown =>
  at.reduce<unknown>((node, key) => (node as Record<string | number, unknown> | undefined)?.[key], spec);

function change(field: Json, now: FieldRule, before: FieldRule): void {
  if (now.required !== before.required) set(field, "required", now.required || undefined);
  if (now.values !== before.values) setValues(field, linesOf(now.values));
  if (!now.limits || (now.least === before.least && now.most === before.most)) return;
  const [least, most] = KEYS[now.limits];
  const options = { ...object(field.logicalTypeOptions) };
  const number = (given: string) => (given.trim() === "" ? undefined : Number(given));
  set(options, least, number(now.least));
  set(options, most, number(now.most));
  // A bound that is written takes the place of the open one beside it.
  if (now.least.trim()) delete options.exclusiveMinimum;
  if (now.most.trim()) delete options.exclusiveMaximum;
  set(field, "logicalTypeOptions", Object.keys(options).length > 0 ? options : undefined);
}

function setValues(field: Json, given: readonly string[]): void {
  const known = new Map((allowed(field) ?? []).map((value) => [String(value), value]));
  const values = given.map((value) => known.get(value) ?? value);
  const others = list(field.quality).filter((rule) => !isValues(rule));
  if (field.enum !== undefined) {
    set(field, "enum", values.length > 0 ? values : undefined);
    return;
  }
  const rule = { metric: "invalidValues", mustBe: 0, arguments: { validValues: values } };
  const all = values.length > 0 ? [...others, rule] : others;
  set(field, "quality", all.length > 0 ? all : undefined);
}

/** From the last place to the first, so that places before it stay what they are. */
function drop(spec: Json, rules: readonly FieldRule[]): void {
  for (const { at } of [...rules].reverse()) {
    const fields = nodeAt(spec, at.slice(0, -1));
    if (Array.isArray(fields)) fields.splice(at.at(-1) as number, 1);
  }
}

export function contractDocument(form: ContractForm, base: Json, known?: DeclaredDocument): DeclaredDocument {
  return {
    apiVersion: "weir/v1",
    kind: "Contract",
    metadata: known?.metadata ?? { name: form.name.trim() },
    spec: contractSpec(form, base),
  };
}

/** Whether the form leaves a document as it is until something is changed. */
export const contractFits = ({ metadata, spec }: DeclaredDocument): boolean =>
  Array.isArray(spec.schema) && same(contractSpec(contractForm(spec, String(metadata.name)), spec), spec);

/** Why the form says too little yet, at its field; fields of the dataset by their path. */
export function contractProblems(form: ContractForm): Record<string, string> {
  const problems: Record<string, string> = {};
  if (!form.name.trim()) problems.name = "Give the contract a name.";
  if (!form.version.trim()) problems.version = "Give the version, as in 1.0.0.";
  for (const level of LEVELS)
    if (form[level].trim() && !LEVEL.test(form[level].trim()))
      problems[level] = "Write a number and s, m, h or d, as in 30 m.";
  if (form.checkEvery.trim() && !/^\d+ ?[smhd]$/.test(form.checkEvery.trim()))
    problems.checkEvery = "Write a number and s, m, h or d, as in 1m.";
  if (form.fields.length > 0 && !form.fields.some((rule) => rule.promised))
    problems.fields = "Promise one field at least.";
  for (const rule of form.fields) {
    const problem = rule.promised ? limitProblem(rule) : undefined;
    if (problem) problems[rule.path] = problem;
  }
  return problems;
}

function limitProblem({ path, limits, least, most }: FieldRule): string | undefined {
  if (!limits) return undefined;
  for (const given of [least, most])
    if (given.trim() && !Number.isFinite(Number(given))) return `“${given}” of ${path} is not a number.`;
  if (least.trim() && most.trim() && Number(least) > Number(most))
    return `${path}: from ${least} to ${most} holds nothing.`;
  return undefined;
}
