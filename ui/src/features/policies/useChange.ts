// What of declared state is being changed on a page: by YAML, or by a form. It stands in the address, so that a link leads to it.
import { useState } from "react";
import { useSearchParams } from "react-router";
import { useDeclared, useMasks } from "@/api/declared";
import { formOf } from "@/features/policies/forms";
import { useMay } from "@/lib/may";

/** `begun`: the document that `change=new` opens with. */
export function useChange(kind: string, begun = "") {
  const [params, setParams] = useSearchParams();
  const manages = useMay().may("manage");
  const documents = useDeclared(kind);
  const masks = useMasks();
  const [changed, setChanged] = useState<string | null>(null);
  const form = formOf(kind);
  const opened = manages && params.get("change") === "new";
  const edited = documents.data?.find(
    (each) => form?.fits(each, masks.data ?? []) && each.metadata.name === params.get("edit"),
  );
  const write = (change: string | null, edit: string | null = null) => {
    const next = new URLSearchParams(params);
    next.delete("change");
    next.delete("edit");
    if (change !== null) next.set("change", change);
    if (edit !== null) next.set("edit", edit);
    setParams(next, { replace: true });
  };
  return {
    documents,
    form,
    masks: masks.data ?? [],
    /** The YAML that is open; null where none is. */
    yaml: changed ?? (opened ? begun : null),
    /** Whether a form is open, and of which document; undefined: of a new one. */
    byForm: manages && (params.get("change") === "form" || edited !== undefined),
    edited,
    openYaml: (yaml: string) => {
      setChanged(yaml);
      write(yaml === "" ? "new" : null);
      window.scrollTo({ top: 0 });
    },
    closeYaml: () => {
      setChanged(null);
      write(null);
    },
    openForm: (name?: string) => {
      setChanged(null);
      write(name === undefined ? "form" : null, name ?? null);
      window.scrollTo({ top: 0 });
    },
    closeForm: () => write(null),
  };
}

export type Change = ReturnType<typeof useChange>;
