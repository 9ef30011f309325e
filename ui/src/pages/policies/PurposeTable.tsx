import { usePurposes } from "@/api/purposes";
import { Answer } from "@/components/Answer";
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
            <div className="panel flush table-wrap">
              <table className="table">
                <thead>
                  <tr>
                    <th>Purpose</th>
                    <th>Legal basis</th>
                    <th>Retention</th>
                    <th>Owner</th>
                    <th>Used by</th>
                  </tr>
                </thead>
                <tbody>
                  {purposes.map((each) => (
                    <tr key={each.name}>
                      <td className="anywhere" style={{ paddingInlineStart: `${each.path.length * 1.25 - 0.5}rem` }}>
                        <span className="strong">{each.name}</span>{" "}
                        {each.deprecated && <span className="badge">deprecated</span>}
                        {each.title && <div className="small">{each.title}</div>}
                        {each.description && <div className="muted small">{each.description}</div>}
                      </td>
                      <td>{each.legalBasis?.replaceAll("-", " ") ?? <span className="muted">none declared</span>}</td>
                      <td>{each.retention ?? <span className="muted">none declared</span>}</td>
                      <td className="anywhere">{each.owner}</td>
                      <td className="anywhere small" title={each.users?.join(", ")}>
                        {each.users === null ? (
                          <span className="muted">not shown to you</span>
                        ) : (
                          usedBy(each.users, each.uses ?? 0)
                        )}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
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
