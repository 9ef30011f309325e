// What people say of a dataset, edited in place. It is declared state: the same document `weir apply` takes.
import { useQueryClient } from "@tanstack/react-query";
import { BadgeCheck, Pencil, Users } from "lucide-react";
import { useState } from "react";
import { Link } from "react-router";
import { fetchDeclared, useApply } from "@/api/declared";
import type { DatasetDetails as Dataset } from "@/api/types";
import { Described } from "@/components/Described";
import { Needs } from "@/components/Needs";
import { ErrorNotice } from "@/components/Notice";
import { Curated, CurationEditor } from "@/features/curation/Curation";
import { DescriptionHistory } from "@/features/descriptions/History";
import { OwnersEditor, OwnersShown } from "@/features/owners/Owners";
import { describedDocument, ownersFromText, wordsFromText } from "@/lib/declare";
import { links } from "@/lib/links";

export function Describe({ dataset }: { dataset: Dataset }) {
  const [editing, setEditing] = useState(false);
  const [curating, setCurating] = useState(false);
  const [naming, setNaming] = useState(false);
  return (
    <section className="panel" aria-labelledby="about">
      <div className="spread" style={{ marginBottom: 10 }}>
        <h2 id="about">About</h2>
        {!editing && !curating && !naming && dataset.cluster && (
          <span className="row">
            {dataset.may.curate && (
              <button type="button" className="button quiet small" onClick={() => setCurating(true)}>
                <BadgeCheck size={14} aria-hidden /> Certify, deprecate, announce
              </button>
            )}
            {dataset.may.edit && (
              <button type="button" className="button quiet small" onClick={() => setNaming(true)}>
                <Users size={14} aria-hidden /> Owners
              </button>
            )}
            <Needs permission="manage" what="Editing">
              <button type="button" className="button quiet small" onClick={() => setEditing(true)}>
                <Pencil size={14} aria-hidden /> Edit
              </button>
            </Needs>
          </span>
        )}
      </div>
      {naming && <OwnersEditor dataset={dataset} onDone={() => setNaming(false)} />}
      {curating && <CurationEditor dataset={dataset} onDone={() => setCurating(false)} />}
      {editing && <Editor dataset={dataset} onDone={() => setEditing(false)} />}
      {!editing && !curating && !naming && <Shown dataset={dataset} />}
    </section>
  );
}

function Shown({ dataset }: { dataset: Dataset }) {
  return (
    <div className="stack-s">
      {dataset.description ? <Described text={dataset.description} /> : <p className="muted">No description yet.</p>}
      <dl className="facts">
        <dt>Owners</dt>
        <dd className="row">
          <OwnersShown of={dataset.responsible} />
        </dd>
        <dt>Tags</dt>
        <dd className="row">
          {dataset.tags.length === 0 && <span className="muted">none</span>}
          {dataset.tags.map((tag) => (
            <Link key={tag} to={links.search({ tag })} className="badge">
              {tag}
            </Link>
          ))}
        </dd>
        {dataset.terms.length > 0 && (
          <>
            <dt>Terms</dt>
            <dd className="row">
              {dataset.terms.map((term) => (
                <Link key={term} to={links.term(term)} className="badge">
                  {term}
                </Link>
              ))}
            </dd>
          </>
        )}
        <Curated of={dataset} />
      </dl>
      {dataset.declaredSchema && (
        <details>
          <summary>Declared schema</summary>
          <pre className="small">{dataset.declaredSchema}</pre>
        </details>
      )}
      <DescriptionHistory dataset={dataset} />
    </div>
  );
}

function Editor({ dataset, onDone }: { dataset: Dataset; onDone: () => void }) {
  const [description, setDescription] = useState(dataset.descriptionSource === "producer" ? "" : dataset.description);
  const [owners, setOwners] = useState(dataset.owners.join(", "));
  const [tags, setTags] = useState(dataset.tags.join(", "));
  const [error, setError] = useState<unknown>(null);
  const apply = useApply();
  const client = useQueryClient();
  return (
    <form
      className="stack"
      onSubmit={async (event) => {
        event.preventDefault();
        setError(null);
        try {
          const name = `${dataset.cluster}/${dataset.name}`;
          const [known] = await fetchDeclared("Dataset", name);
          const next = describedDocument(dataset, known, {
            description: description.trim(),
            owners: ownersFromText(owners),
            tags: wordsFromText(tags),
          });
          // JSON is YAML too, and quotes everything that needs it.
          await apply.mutateAsync({ yaml: JSON.stringify(next), dryRun: false });
          await client.invalidateQueries({ queryKey: ["dataset"] });
          onDone();
        } catch (failure) {
          setError(failure);
        }
      }}
    >
      <div className="field">
        <label htmlFor="description">Description</label>
        <textarea
          id="description"
          className="textarea"
          value={description}
          onChange={(e) => setDescription(e.target.value)}
        />
        <span className="hint">
          Markdown: **bold**, lists, [links](https://example.com). The first line is shown below the name.
        </span>
      </div>
      <div className="field">
        <label htmlFor="owners">Owners</label>
        <input id="owners" className="input" value={owners} onChange={(e) => setOwners(e.target.value)} />
        <span className="hint">Users, or groups as group:NAME, with commas between.</span>
      </div>
      <div className="field">
        <label htmlFor="tags">Tags</label>
        <input id="tags" className="input" value={tags} onChange={(e) => setTags(e.target.value)} />
        <span className="hint">Words with commas between, as domain.sales.</span>
      </div>
      {Boolean(error) && <ErrorNotice error={error} />}
      <div className="row">
        <button type="submit" className="button primary" disabled={apply.isPending}>
          Save
        </button>
        <button type="button" className="button" onClick={onDone}>
          Cancel
        </button>
      </div>
    </form>
  );
}
