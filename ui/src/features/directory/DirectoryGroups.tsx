// Groups of the directory, and what rules give their members.
import { useState } from "react";
import { Link } from "react-router";
import { useDirectoryGroups } from "@/api/directory";
import { Answer } from "@/components/Answer";
import { DataTable } from "@/components/DataTable";
import { Empty } from "@/components/Empty";
import { Notice } from "@/components/Notice";
import { WordList } from "@/components/WordList";
import { MoreRows, PAGE } from "@/features/admin/MoreRows";
import { plural } from "@/lib/format";
import { links } from "@/lib/links";

export function DirectoryGroups({ total, rules }: { total: number; rules: number }) {
  const [limit, setLimit] = useState(PAGE);
  const groups = useDirectoryGroups(limit);
  return (
    <section className="stack" aria-labelledby="directory-groups">
      <h2 id="directory-groups">Groups of the directory</h2>
      {rules === 0 && (
        <Notice tone={total > 0 ? "warn" : "info"}>
          <p>
            A group of the directory gives nothing until a rule names it.{" "}
            <Link to={links.policies("DirectoryRights", true)}>Declare</Link> <code>kind: DirectoryRights</code>.
          </p>
        </Notice>
      )}
      {total === 0 ? (
        <div className="panel">
          <Empty title="No groups from a directory yet">
            <p>Let your provider push groups: they appear here with their members.</p>
          </Empty>
        </div>
      ) : (
        <Answer of={groups}>
          {({ groups: rows, total: now }) => (
            <>
              <div className="panel flush">
                <DataTable
                  table="directory-groups"
                  label="Groups of the directory"
                  rows={rows}
                  rowKey={(group, at) => `${group.name} ${at}`}
                  columns={[
                    {
                      id: "group",
                      head: "Group",
                      sort: ({ name }) => name,
                      cell: ({ name }) => <strong>{name}</strong>,
                    },
                    {
                      id: "members",
                      head: "Members",
                      sort: ({ members }) => members,
                      cell: ({ members }) => plural(members, "member"),
                    },
                    {
                      id: "groups",
                      head: "Gives groups",
                      sort: (group) => group.givesGroups.join(),
                      cell: (group) => <WordList of={group.givesGroups} />,
                    },
                    {
                      id: "roles",
                      head: "Gives roles",
                      sort: (group) => group.givesRoles.join(),
                      cell: (group) => <WordList of={group.givesRoles} />,
                    },
                  ]}
                />
              </div>
              <MoreRows shown={rows.length} total={now} limit={limit} onMore={setLimit} otherwise="Ask the API" />
            </>
          )}
        </Answer>
      )}
    </section>
  );
}
