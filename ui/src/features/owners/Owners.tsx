// Who answers for a dataset, and by what; owners are named here, with suggestions and their reasons.
import { useState } from "react";
import { Link } from "react-router";
import { useCurate } from "@/api/curation";
import { useOwnerSuggestions } from "@/api/questions";
import type { DatasetDetails, DatasetOwner, ResponsibleFor } from "@/api/types";
import { Loading } from "@/components/Loading";
import { ErrorNotice } from "@/components/Notice";
import { links } from "@/lib/links";

const ROLES = ["business", "technical"] as const;

/** The names, each with its roles, and whose owners they are where they are not the dataset's own. */
export function OwnersShown({ of }: { of: ResponsibleFor }) {
  const roles = new Map(of.owners.map((each) => [each.name, each.roles]));
  return (
    <>
      {of.names.length === 0 && <span className="badge warn">none</span>}
      {of.names.map((owner) => (
        <span key={owner} className="row-nowrap">
          <Link to={links.search({ owner })} className="badge">
            {owner}
          </Link>
          {roles.get(owner)?.map((role) => (
            <span key={role} className="muted small">
              {role}
            </span>
          ))}
        </span>
      ))}
      {of.source !== "dataset" && of.source !== "nobody" && <span className="muted small">{sourceText(of)}</span>}
    </>
  );
}

function sourceText(of: ResponsibleFor): string {
  if (of.source === "product") return `owners of the data product ${of.sourceName}, as the dataset has none`;
  if (of.source === "domain") return `by the domain ${of.sourceName}, as nobody nearer is named`;
  return `named by the cluster ${of.sourceName}, as nobody nearer is`;
}

export function OwnersEditor({ dataset, onDone }: { dataset: DatasetDetails; onDone: () => void }) {
  const [owners, setOwners] = useState<DatasetOwner[]>(dataset.responsible.owners);
  const [name, setName] = useState("");
  const curate = useCurate(dataset.namespace, dataset.name);
  const add = (added: string) => {
    const word = added.trim();
    if (word && !owners.some((each) => each.name === word)) setOwners([...owners, { name: word, roles: [] }]);
    setName("");
  };
  const accept = (accepted: string) => {
    const after = [...owners, { name: accepted, roles: [] }];
    curate.mutate({ owners: after.map(written) }, { onSuccess: () => setOwners(after) });
  };
  const turn = (owner: DatasetOwner, role: (typeof ROLES)[number]) =>
    setOwners(owners.map((each) => (each === owner ? { ...each, roles: turned(each.roles, role) } : each)));
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        const all = name.trim() ? [...owners, { name: name.trim(), roles: [] }] : owners;
        curate.mutate({ owners: all.map(written) }, { onSuccess: onDone });
      }}
    >
      <p className="muted small">Owners read the dataset, decide on requests for it, and are notified.</p>
      {owners.map((owner) => (
        <div key={owner.name} className="row">
          <strong className="anywhere">{owner.name}</strong>
          {ROLES.map((role) => (
            <label key={role} className="row-nowrap">
              <input type="checkbox" checked={owner.roles.includes(role)} onChange={() => turn(owner, role)} /> {role}
            </label>
          ))}
          <button
            type="button"
            className="button quiet small"
            aria-label={`Remove ${owner.name}`}
            onClick={() => setOwners(owners.filter((each) => each !== owner))}
          >
            Remove
          </button>
        </div>
      ))}
      <div className="field">
        <label htmlFor="new-owner">Another owner</label>
        <div className="row-nowrap">
          <input id="new-owner" className="input" value={name} onChange={(event) => setName(event.target.value)} />
          <button type="button" className="button" disabled={name.trim() === ""} onClick={() => add(name)}>
            Add
          </button>
        </div>
        <span className="hint">A user, or a group as group:NAME.</span>
      </div>
      <Suggested dataset={dataset} chosen={owners} onAccept={accept} />
      {curate.error && <ErrorNotice error={curate.error} />}
      <div className="row">
        <button type="submit" className="button primary" disabled={curate.isPending}>
          Save
        </button>
        <button type="button" className="button" onClick={onDone}>
          Cancel
        </button>
      </div>
    </form>
  );
}

interface SuggestedProps {
  dataset: DatasetDetails;
  chosen: DatasetOwner[];
  onAccept: (name: string) => void;
}

function Suggested({ dataset, chosen, onAccept }: SuggestedProps) {
  const suggestions = useOwnerSuggestions(dataset.namespace, dataset.name);
  if (suggestions.error) return <ErrorNotice error={suggestions.error} />;
  if (!suggestions.data) return <Loading />;
  const listed = suggestions.data.suggestions.filter((each) => !chosen.some((one) => one.name === each.name));
  return (
    <div className="stack-s">
      <h3>Suggested</h3>
      {listed.length === 0 && <p className="muted">Nothing suggests another owner.</p>}
      {listed.map((each) => (
        <div key={each.name} className="spread suggestion">
          <div>
            <strong className="anywhere">{each.name}</strong>
            {!each.known && <span className="muted small"> not known to Weir</span>}
            <ul className="list-plain small muted">
              {each.reasons.map((reason) => (
                <li key={reason.text} className="anywhere">
                  {reason.text}
                </li>
              ))}
            </ul>
          </div>
          <button type="button" className="button small" onClick={() => onAccept(each.name)}>
            Accept<span className="visually-hidden"> {each.name}</span>
          </button>
        </div>
      ))}
      {suggestions.data.notRead.map((each) => (
        <p key={each} className="muted small anywhere">
          {each}
        </p>
      ))}
    </div>
  );
}

function turned(roles: DatasetOwner["roles"], role: (typeof ROLES)[number]): DatasetOwner["roles"] {
  return roles.includes(role) ? roles.filter((each) => each !== role) : [...roles, role];
}

function written({ name, roles }: DatasetOwner) {
  return name.startsWith("group:") ? { group: name.slice("group:".length), roles } : { user: name, roles };
}
