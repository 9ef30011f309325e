// People and programs that sign in: roles and groups as declared, tokens, grants; made and changed in place.
import { Pencil, Plus } from "lucide-react";
import { useState } from "react";
import { Link } from "react-router";
import { useGrants } from "@/api/access";
import { useApply, useDeclared } from "@/api/declared";
import { useTokens } from "@/api/tokens";
import type { DeclaredDocument } from "@/api/types";
import { Answer } from "@/components/Answer";
import { DataTable } from "@/components/DataTable";
import { Empty } from "@/components/Empty";
import { Modal } from "@/components/Modal";
import { Needs } from "@/components/Needs";
import { ErrorNotice } from "@/components/Notice";
import { WordList } from "@/components/WordList";
import { wordsFromText } from "@/lib/declare";
import { plural } from "@/lib/format";
import { links } from "@/lib/links";
import { useMay } from "@/lib/may";
import { sentence } from "@/lib/subject";
import { tokenState } from "@/lib/tokens";

interface UserSpec {
  displayName?: string;
  roles?: string[];
  groups?: string[];
  disabled?: boolean;
}

/** Without a document: somebody who has a token and is not declared. */
interface Person {
  name: string;
  document: DeclaredDocument | null;
  spec: UserSpec;
}

const specOf = (document: DeclaredDocument) => document.spec as UserSpec;

export function Users() {
  const users = useDeclared("User");
  const manages = useMay().may("manage");
  const tokens = useTokens(manages).data ?? [];
  const grants = useGrants().data ?? [];
  const [editing, setEditing] = useState<DeclaredDocument | "new" | null>(null);
  const valid = (user: string) => tokens.filter((t) => t.user === user && tokenState(t) === "valid").length;
  return (
    <div className="stack">
      <div className="spread">
        <p className="muted">
          A role defines what somebody may read and do; <Link to="/policies/people?kind=Role">roles are declared</Link>.
        </p>
        <Needs permission="manage" what="Adding and changing users">
          <button type="button" className="button primary" onClick={() => setEditing("new")}>
            <Plus size={15} aria-hidden /> Add a user
          </button>
        </Needs>
      </div>
      <Answer of={users}>
        {(list) => {
          const named = new Set(list.map((d) => d.metadata.name));
          // Whoever holds a token signs in, declared or not.
          const others = [
            ...new Set(tokens.filter((t) => tokenState(t) === "valid" && !t.service).map((t) => t.user)),
          ].filter((user) => !named.has(user));
          if (list.length + others.length === 0) {
            return (
              <div className="panel">
                <Empty title="No users yet">
                  <p>Add one above, then make a token for them under Tokens.</p>
                </Empty>
              </div>
            );
          }
          const rows: Person[] = [
            ...list.map((document) => ({ name: document.metadata.name, document, spec: specOf(document) })),
            ...others.map((name) => ({ name, document: null, spec: {} })),
          ];
          const granted = (name: string) =>
            grants.filter((g) => g.status === "approved" && sentence(g.subject) === name).length;
          return (
            <div className="panel flush">
              <DataTable
                table="people"
                label="Users"
                rows={rows}
                rowKey={(person) => person.name}
                columns={[
                  { id: "user", head: "User", sort: (person) => person.name, cell: (person) => <Name of={person} /> },
                  {
                    id: "roles",
                    head: "Roles",
                    sort: ({ spec }) => spec.roles?.join(),
                    cell: ({ spec }) => <WordList of={spec.roles} />,
                  },
                  {
                    id: "groups",
                    head: "Groups",
                    sort: ({ spec }) => spec.groups?.join(),
                    cell: ({ spec }) => <WordList of={spec.groups} />,
                  },
                  manages && {
                    id: "tokens",
                    head: "Tokens",
                    sort: ({ name }) => valid(name),
                    cell: ({ name }) => <Link to={links.admin("tokens")}>{plural(valid(name), "token")}</Link>,
                  },
                  manages && {
                    id: "grants",
                    head: "Grants",
                    sort: ({ name }) => granted(name),
                    cell: ({ name }) =>
                      granted(name) > 0 ? (
                        <Link to={links.requests("grants")}>{plural(granted(name), "grant")}</Link>
                      ) : (
                        <span className="muted">none</span>
                      ),
                  },
                  manages && {
                    id: "change",
                    head: "Change",
                    tool: true,
                    className: "right nowrap",
                    cell: ({ name, document }) =>
                      document && (
                        <button type="button" className="button quiet small" onClick={() => setEditing(document)}>
                          <Pencil size={13} aria-hidden /> Change
                          <span className="visually-hidden"> {name}</span>
                        </button>
                      ),
                  },
                ]}
              />
            </div>
          );
        }}
      </Answer>
      {editing && <Editor of={editing === "new" ? null : editing} onClose={() => setEditing(null)} />}
    </div>
  );
}

function Name({ of: { name, document, spec } }: { of: Person }) {
  if (!document) {
    return (
      <>
        <strong>{name}</strong> <span className="badge">not declared</span>
      </>
    );
  }
  return (
    <>
      <Link to={links.person(name)}>{name}</Link> {spec.disabled && <span className="badge bad">disabled</span>}
      {spec.displayName && <div className="muted small">{spec.displayName}</div>}
    </>
  );
}

function Editor({ of, onClose }: { of: DeclaredDocument | null; onClose: () => void }) {
  const spec = of ? specOf(of) : {};
  const roles = useDeclared("Role").data ?? [];
  const [name, setName] = useState(of?.metadata.name ?? "");
  const [chosen, setChosen] = useState<string[]>(spec.roles ?? []);
  const [groups, setGroups] = useState((spec.groups ?? []).join(", "));
  const [disabled, setDisabled] = useState(spec.disabled ?? false);
  const apply = useApply();
  const offered = [...new Set([...roles.map((r) => r.metadata.name), ...chosen])].sort();
  return (
    <Modal open onClose={onClose} title={of ? `Change ${name}` : "Add a user"}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          const next: DeclaredDocument = {
            apiVersion: "weir/v1",
            kind: "User",
            metadata: of?.metadata ?? { name: name.trim() },
            spec: {
              ...of?.spec,
              roles: chosen,
              groups: wordsFromText(groups),
              ...(disabled || spec.disabled ? { disabled } : {}),
            },
          };
          // JSON is YAML too, and quotes everything that needs it.
          apply.mutate({ yaml: JSON.stringify(next), dryRun: false }, { onSuccess: onClose });
        }}
      >
        {!of && (
          <div className="field">
            <label htmlFor="user-name">Name</label>
            <input id="user-name" className="input" required value={name} onChange={(e) => setName(e.target.value)} />
          </div>
        )}
        <fieldset className="field" style={{ border: 0, padding: 0, margin: 0 }}>
          <legend className="strong" style={{ padding: 0 }}>
            Roles
          </legend>
          {offered.length === 0 && <span className="hint">No role is declared yet.</span>}
          <ul className="picker">
            {offered.map((role) => (
              <li key={role}>
                <label className="row">
                  <input
                    type="checkbox"
                    checked={chosen.includes(role)}
                    onChange={(e) => setChosen(e.target.checked ? [...chosen, role] : chosen.filter((r) => r !== role))}
                  />
                  {role}
                </label>
              </li>
            ))}
          </ul>
        </fieldset>
        <div className="field">
          <label htmlFor="user-groups">Groups</label>
          <input id="user-groups" className="input" value={groups} onChange={(e) => setGroups(e.target.value)} />
          <span className="hint">Words with commas between.</span>
        </div>
        {of && (
          <label className="row">
            <input type="checkbox" checked={disabled} onChange={(e) => setDisabled(e.target.checked)} />
            disabled: every token is refused
          </label>
        )}
        {apply.isError && <ErrorNotice error={apply.error} />}
        <div className="actions">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button primary" disabled={apply.isPending || !name.trim()}>
            {of ? "Save" : "Add"}
          </button>
        </div>
      </form>
    </Modal>
  );
}
