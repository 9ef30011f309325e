// A masked copy's document from a form, and the form from a document. What the form does not show stays as it was.
import type { DeclaredDocument } from "@/api/types";
import { object, over, same } from "@/lib/formParts";

export const AUDIENCES = ["group", "user", "serviceAccount"] as const;
export type Audience = (typeof AUDIENCES)[number];

export interface CopyForm {
  name: string;
  /** CLUSTER/TOPIC */
  of: string;
  audience: Audience;
  who: string;
  cluster: string;
  topic: string;
  description: string;
}

const parts = (of: string): [string, string] => {
  const [cluster = "", ...topic] = of.trim().split("/");
  return [cluster, topic.join("/")];
};

/** What is not written is as the dataset and the audience suggest: `orders` for `analysts` is `orders-analysts`. */
export function suggested(form: CopyForm): CopyForm {
  const [cluster, topic] = parts(form.of);
  const usual = topic && form.who.trim() ? `${topic}-${form.who.trim()}` : "";
  return { ...form, name: form.name || usual, cluster: form.cluster || cluster, topic: form.topic || usual };
}

export const newCopy = (of = ""): CopyForm => ({
  name: "",
  of,
  audience: "group",
  who: "",
  cluster: "",
  topic: "",
  description: "",
});

export function copyDocument(given: CopyForm, known?: DeclaredDocument): DeclaredDocument {
  const form = suggested(given);
  const before = object(known?.spec);
  const { user: _u, group: _g, serviceAccount: _s, ...rest } = object(before.runAs);
  return {
    apiVersion: "weir/v1",
    kind: "View",
    metadata: known?.metadata ?? { name: form.name.trim() },
    spec: over(before, {
      description: form.description.trim(),
      copyOf: form.of.trim(),
      runAs: { [form.audience]: form.who.trim(), ...rest },
      sink: over(object(before.sink), { cluster: form.cluster.trim(), topic: form.topic.trim() }),
    }),
  };
}

export function copyForm({ metadata, spec }: DeclaredDocument): CopyForm {
  const runAs = object(spec.runAs);
  const sink = object(spec.sink);
  const audience = AUDIENCES.find((each) => runAs[each] !== undefined) ?? "group";
  return {
    name: String(metadata.name),
    of: String(spec.copyOf ?? ""),
    audience,
    who: String(runAs[audience] ?? ""),
    cluster: String(sink.cluster ?? ""),
    topic: String(sink.topic ?? ""),
    description: String(spec.description ?? ""),
  };
}

/** Whether a view is a masked copy that the form shows whole. */
export const copyFits = (document: DeclaredDocument): boolean =>
  document.spec.copyOf !== undefined && same(copyDocument(copyForm(document), document).spec, document.spec);

export type CopyProblems = Partial<Record<keyof CopyForm, string>>;

/** Why the form says too little yet, at its field. `clusters`: those that are declared. */
export function copyProblems(given: CopyForm, clusters: readonly string[]): CopyProblems {
  const form = suggested(given);
  const [cluster, topic] = parts(form.of);
  const problems: CopyProblems = {};
  if (!cluster || !topic) problems.of = "Write the topic to copy as CLUSTER/TOPIC.";
  else if (!clusters.includes(cluster)) problems.of = `No cluster is declared as ${cluster}.`;
  if (!form.who.trim()) problems.who = "Name who the copy is for: their masks and row filters are in it.";
  if (form.cluster && !clusters.includes(form.cluster)) problems.cluster = `No cluster is declared as ${form.cluster}.`;
  if (form.topic && `${form.cluster}/${form.topic}` === form.of.trim())
    problems.topic = "A copy writes another topic than it reads.";
  return problems;
}
