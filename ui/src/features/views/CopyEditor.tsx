// A masked copy by form, beside its YAML: what its records would have, then apply.
import { useState } from "react";
import { Link, useSearchParams } from "react-router";
import { useClusters } from "@/api/scans";
import type { DeclaredDocument } from "@/api/types";
import { Notice } from "@/components/Notice";
import { Segments } from "@/components/Segments";
import { TextField } from "@/components/TextField";
import { FormBesideYaml } from "@/features/policies/FormBesideYaml";
import { TopicClients } from "@/features/views/TopicClients";
import { WouldBuild } from "@/features/views/WouldBuild";
import { type Audience, type CopyForm, copyDocument, copyForm, copyProblems, newCopy, suggested } from "@/lib/copyForm";
import { links } from "@/lib/links";
import { toYaml } from "@/lib/yaml";

const WHO: { value: Audience; text: string }[] = [
  { value: "group", text: "A group" },
  { value: "user", text: "A person" },
  { value: "serviceAccount", text: "A service account" },
];

export function CopyEditor({ known, onClose }: { known?: DeclaredDocument | undefined; onClose: () => void }) {
  const [params] = useSearchParams();
  const clusters = (useClusters().data ?? []).filter((each) => each.declared !== false).map((each) => each.name);
  const [form, setForm] = useState<CopyForm>(known ? copyForm(known) : newCopy(params.get("of") ?? ""));
  const set = (change: Partial<CopyForm>) => setForm({ ...form, ...change });
  const problems = copyProblems(form, clusters);
  const usual = suggested(form);
  const document = copyDocument(form, known);
  const yaml = toYaml(document);
  const [made, setMade] = useState<string | null>(null);
  return (
    <>
      <FormBesideYaml
        title={known ? `Change the masked copy ${form.name}` : "Make a masked copy"}
        problems={Object.values(problems)}
        yaml={yaml}
        preview={<WouldBuild key={yaml} name={String(document.metadata.name)} spec={document.spec} />}
        onApplied={() => setMade(String(document.metadata.name))}
        onClose={onClose}
      >
        <TextField
          label="Topic to copy"
          value={form.of}
          onChange={(of) => set({ of })}
          problem={form.of ? problems.of : null}
          placeholder="prod/orders"
          required
        />
        <Segments
          label="Who it is for"
          value={form.audience}
          options={WHO}
          onChange={(audience) => set({ audience })}
        />
        <TextField
          label="Their name"
          value={form.who}
          onChange={(who) => set({ who })}
          placeholder={form.audience === "group" ? "analysts" : "ana"}
          hint="The copy holds what they may see: their masks and row filters, as long as they are so"
          required
        />
        <TextField
          label="Cluster of the copy"
          value={form.cluster}
          onChange={(cluster) => set({ cluster })}
          problem={problems.cluster ?? null}
          placeholder={usual.cluster}
        />
        <TextField
          label="Topic of the copy"
          value={form.topic}
          onChange={(topic) => set({ topic })}
          problem={problems.topic ?? null}
          placeholder={usual.topic}
        />
        <TextField
          label="Name"
          value={form.name}
          onChange={(name) => set({ name })}
          placeholder={usual.name}
          disabled={known !== undefined}
        />
        <TextField label="Description" value={form.description} onChange={(description) => set({ description })} />
      </FormBesideYaml>
      {made !== null && (
        <>
          <Notice tone="ok">
            The copy <Link to={links.view(made)}>{made}</Link> is being written. What its readers need:
          </Notice>
          <TopicClients view={made} />
        </>
      )}
    </>
  );
}
