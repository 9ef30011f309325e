import { usePurposes } from "@/api/purposes";
import { Answer } from "@/components/Answer";
import { DataTable } from "@/components/DataTable";
import { Empty } from "@/components/Empty";

/** The tree of declared purposes: what covers what, on which legal basis, for how long, and what uses it. */
export function PurposeTable() {
  const tree = usePurposes();
  return (
    <Answer of={tree}>
      {({ purposes, undeclared }) =>
        purposes.length === 0 ? (
          <div className="panel">
            <Empty title="No purpose is declared">
              <p>Purposes are free text until one is. A declared purpose covers those below it.</p>
            </Empty>
          </div>
        ) : (
          <div className="stack-s">
            {undeclared.length > 0 && (
              <p className="notice warn" role="status">
                Used but not declared, so no query can state them:{" "}
                {undeclared.map((each) => `${each.name} (${usedBy(each.users, each.uses)})`).join("; ")}
              </p>
            )}
            <div className="panel flush">
              <DataTable
                table="purposes"
                label="Purposes"
                rows={purposes}
                rowKey={(each) => each.name}
                columns={[
                  {
                    id: "purpose",
                    head: "Purpose",
                    className: "anywhere",
                    cell: (each) => (
                      <div style={{ paddingInlineStart: `${each.path.length * 1.25 - 1.25}rem` }}>
                        <span className="strong">{each.name}</span>{" "}
                        {each.deprecated && <span className="badge">deprecated</span>}
                        {each.title && <div className="small">{each.title}</div>}
                        {each.description && <div className="muted small">{each.description}</div>}
                      </div>
                    ),
                  },
                  {
                    id: "basis",
                    head: "Legal basis",
                    cell: (each) =>
                      each.legalBasis?.replaceAll("-", " ") ?? <span className="muted">none declared</span>,
                  },
                  {
                    id: "retention",
                    head: "Retention",
                    cell: (each) => each.retention ?? <span className="muted">none declared</span>,
                  },
                  { id: "owner", head: "Owner", className: "anywhere", cell: (each) => each.owner },
                  {
                    id: "used",
                    head: "Used by",
                    className: "anywhere small",
                    cell: (each) =>
                      each.users === null ? (
                        <span className="muted">not shown to you</span>
                      ) : (
                        <span title={each.users.join(", ")}>{usedBy(each.users, each.uses ?? 0)}</span>
                      ),
                  },
                ]}
              />
            </div>
          </div>
        )
      }
    </Answer>
  );
}

const NAMED = 3;

function usedBy(users: readonly string[], uses: number): string {
  const more = uses > NAMED ? ` and ${uses - NAMED} more` : "";
  return users.length === 0 ? "nothing" : `${users.slice(0, NAMED).join(", ")}${more}`;
}
