// People whom the directory keeps here, and names that it keeps out.
import { useDeferredValue, useState } from "react";
import { Link } from "react-router";
import { type DirectoryPerson, type PersonState, useDirectoryPeople } from "@/api/directory";
import { Answer } from "@/components/Answer";
import { DataTable } from "@/components/DataTable";
import { Empty } from "@/components/Empty";
import { Segments } from "@/components/Segments";
import { When } from "@/components/When";
import { WordList } from "@/components/WordList";
import { MoreRows, PAGE } from "@/features/admin/MoreRows";
import { count, plural } from "@/lib/format";
import { links } from "@/lib/links";

const TONES: Record<PersonState, string> = { active: "ok", deactivated: "warn", removed: "bad" };

export function DirectoryPeople({ counts }: { counts: Record<PersonState, number> }) {
  const [state, setState] = useState<PersonState | "all">("all");
  const [text, setText] = useState("");
  const [limit, setLimit] = useState(PAGE);
  const sought = useDeferredValue(text.trim());
  const people = useDirectoryPeople({
    limit,
    ...(state === "all" ? {} : { state }),
    ...(sought ? { text: sought } : {}),
  });
  const all = counts.active + counts.deactivated + counts.removed;
  return (
    <section className="stack" aria-labelledby="directory-people">
      <h2 id="directory-people">People of the directory</h2>
      {all === 0 ? (
        <div className="panel">
          <Empty title="No people from a directory yet">
            <p>
              Make the token above, and assign people to Weir at your provider. They appear here when it sends them.
            </p>
          </Empty>
        </div>
      ) : (
        <>
          <div className="row">
            <Segments
              label="Which people"
              value={state}
              options={[
                { value: "all", text: `All (${count(all)})` },
                { value: "active", text: `Active (${count(counts.active)})` },
                { value: "deactivated", text: `Deactivated (${count(counts.deactivated)})` },
                { value: "removed", text: `Removed (${count(counts.removed)})` },
              ]}
              onChange={(next) => {
                setState(next);
                setLimit(PAGE);
              }}
            />
            <input
              className="input"
              style={{ width: 220 }}
              aria-label="Part of a name"
              placeholder="Part of a name"
              maxLength={253}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          </div>
          <Answer of={people}>
            {({ people: rows, total }) =>
              rows.length === 0 ? (
                <div className="panel">
                  <Empty title="Nobody here">
                    <p>Choose another state, or clear the name.</p>
                  </Empty>
                </div>
              ) : (
                <>
                  <PeopleTable rows={rows} />
                  <MoreRows
                    shown={rows.length}
                    total={total}
                    limit={limit}
                    onMore={setLimit}
                    otherwise="Search a name"
                  />
                  <p className="muted small" aria-live="polite">
                    {plural(total, "person", "people")}. Who is deactivated or removed is let in again by the directory,
                    or by <code>weir user release NAME</code>.
                  </p>
                </>
              )
            }
          </Answer>
        </>
      )}
    </section>
  );
}

function PeopleTable({ rows }: { rows: DirectoryPerson[] }) {
  return (
    <div className="panel flush">
      <DataTable
        table="directory-people"
        label="People of the directory"
        rows={rows}
        rowKey={(person) => `${person.state} ${person.name}`}
        columns={[
          { id: "person", head: "Person", sort: ({ name }) => name, cell: (person) => <Name of={person} /> },
          {
            id: "state",
            head: "State",
            sort: ({ state }) => state,
            cell: ({ state }) => <span className={`badge ${TONES[state]}`}>{state}</span>,
          },
          {
            id: "since",
            head: "Out since",
            sort: (person) => person.outSince,
            cell: (person) => <When at={person.outSince} never="–" />,
          },
          {
            id: "groups",
            head: "Groups there",
            sort: ({ groups }) => groups.join(),
            cell: ({ groups }) => <WordList of={groups} />,
          },
          {
            id: "declared",
            head: "Declared besides",
            sort: ({ declared }) => Number(declared),
            cell: ({ declared }) =>
              declared ? <Link to={links.admin("users")}>yes</Link> : <span className="muted">no</span>,
          },
        ]}
      />
    </div>
  );
}

function Name({ of: { name, displayName, state } }: { of: DirectoryPerson }) {
  return (
    <>
      {state === "removed" ? <span className="strong">{name}</span> : <Link to={links.person(name)}>{name}</Link>}
      {displayName && <div className="muted small">{displayName}</div>}
    </>
  );
}
