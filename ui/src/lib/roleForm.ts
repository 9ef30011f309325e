// A role's document from a form, and the form from a document. What the form does not show stays as it was.
import type { DeclaredDocument } from "@/api/types";
import { type Json, linesOf, listFromText, object, over, same, texts } from "@/lib/formParts";

/** What a role may let its holders do in Weir. A test compares the names with the server's. */
export const RIGHTS = {
  manage: "declare documents, create tokens, revoke grants, decide requests where a dataset has no owner",
  scan: "start scans",
  review: "confirm and reject personal data",
  "report:read": "read reports of data locations and access",
  "audit:read": "read and verify the audit",
  decide: "ask for decisions about others, test policies and simulate changes",
  "lineage:write": "send lineage events",
} as const;

export interface RoleForm {
  name: string;
  description: string;
  /** A line each: CLUSTER/TOPIC or tag:NAME, then the path of one place in it. */
  read: string;
  inherits: string;
  /** A line each: CLUSTER/TOPIC and the condition. */
  rowFilters: string;
  permissions: readonly string[];
  seesUnscanned: boolean;
}

export const NEW_ROLE: RoleForm = {
  name: "",
  description: "",
  read: "",
  inherits: "",
  rowFilters: "",
  permissions: [],
  seesUnscanned: false,
};

const TAG = "tag:";

function scope(line: string): Json {
  const [first = "", ...path] = line.split(/\s+/);
  const of = first.startsWith(TAG) ? { tag: first.slice(TAG.length) } : { dataset: first };
  return path.length > 0 ? { ...of, path: path.join(" ") } : of;
}

const scopeText = ({ dataset, tag, path }: Json): string =>
  [dataset ?? `${TAG}${String(tag)}`, path].filter(Boolean).map(String).join(" ");

function rowFilter(line: string): Json {
  const [dataset = ""] = line.split(/\s+/);
  return { dataset, where: line.slice(dataset.length).trim() };
}

const objects = (value: unknown): Json[] => (Array.isArray(value) ? value.map(object) : []);

export function roleDocument(form: RoleForm, known?: DeclaredDocument): DeclaredDocument {
  const before = object(known?.spec);
  return {
    apiVersion: "weir/v1",
    kind: "Role",
    metadata: known?.metadata ?? { name: form.name.trim() },
    spec: over(before, {
      description: form.description.trim(),
      read: linesOf(form.read).map(scope),
      inherits: listFromText(form.inherits),
      rowFilters: linesOf(form.rowFilters).map(rowFilter),
      permissions: [...form.permissions],
      // `false` is what holds without it too.
      seesUnscanned: form.seesUnscanned || (before.seesUnscanned === false ? false : undefined),
    }),
  };
}

export function roleForm({ metadata, spec }: DeclaredDocument): RoleForm {
  return {
    name: String(metadata.name),
    description: String(spec.description ?? ""),
    read: objects(spec.read).map(scopeText).join("\n"),
    inherits: texts(spec.inherits).join(", "),
    rowFilters: objects(spec.rowFilters)
      .map(({ dataset, where }) => `${String(dataset)} ${String(where)}`)
      .join("\n"),
    permissions: texts(spec.permissions),
    seesUnscanned: spec.seesUnscanned === true,
  };
}

/** Whether the form shows a document whole: a condition of two lines, for example, can only be changed as YAML. */
export const roleFits = (document: DeclaredDocument): boolean =>
  same(roleDocument(roleForm(document), document).spec, document.spec);

/** Why the form says too little yet, a sentence each. */
export function roleProblems(form: RoleForm): string[] {
  const problems: string[] = [];
  if (!form.name.trim()) problems.push("Give the role a name.");
  for (const { dataset, tag } of linesOf(form.read).map(scope))
    if (tag === "" || (tag === undefined && !isDataset(String(dataset))))
      problems.push(`“${String(dataset ?? TAG)}” is not a dataset; write CLUSTER/TOPIC or tag:NAME.`);
  for (const { dataset, where } of linesOf(form.rowFilters).map(rowFilter)) {
    if (!isDataset(String(dataset))) problems.push(`“${String(dataset)}” is not a dataset; write CLUSTER/TOPIC first.`);
    else if (!where) problems.push(`Write the condition that a row of ${String(dataset)} has to satisfy.`);
  }
  return problems;
}

const isDataset = (text: string): boolean => text === "*" || /^[^/\s]+\/\S+$/.test(text);
