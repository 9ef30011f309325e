import { useSchemaDiff } from "@/api/catalog";
import { Answer } from "@/components/Answer";
import { Empty } from "@/components/Empty";
import { changeText, changeTone } from "@/lib/diff";

/** What changed from one version to another, one change a line, and who survives it. */
export function SchemaDiff({ place, name, from, to }: { place: string; name: string; from: number; to: number }) {
  const older = Math.min(from, to);
  const newer = Math.max(from, to);
  const diff = useSchemaDiff(place, name, older, newer);
  return (
    <Answer of={diff}>
      {({ changes, compatibility }) => {
        if (changes.length === 0) {
          return (
            <div className="panel">
              <Empty title="No difference">
                <p>
                  Versions {older} and {newer} hold the same fields with the same types.
                </p>
              </Empty>
            </div>
          );
        }
        const withPlace = changes.some((c) => c.firstSeen);
        return (
          <div className="stack">
            {compatibility && (
              <div className="row">
                <span className={`badge ${compatibility.backward ? "ok" : "bad"}`}>
                  new readers {compatibility.backward ? "can" : "cannot"} read the old records
                </span>
                <span className={`badge ${compatibility.forward ? "ok" : "bad"}`}>
                  old readers {compatibility.forward ? "can" : "cannot"} read the new records
                </span>
              </div>
            )}
            <div className="panel flush table-wrap">
              <table className="table">
                <caption className="visually-hidden">
                  Changes from version {older} to version {newer}
                </caption>
                <thead>
                  <tr>
                    <th>Change</th>
                    <th>Field</th>
                    <th>
                      Version {older} → {newer}
                    </th>
                    {withPlace && <th>First seen at</th>}
                  </tr>
                </thead>
                <tbody>
                  {changes.map((change, i) => {
                    const text = changeText(change);
                    return (
                      <tr key={i}>
                        <td>
                          <span className={`badge ${changeTone(change)}`}>{text.kind}</span>
                        </td>
                        <td className="mono anywhere">{change.path ?? "–"}</td>
                        <td>{text.what}</td>
                        {withPlace && <td className="small muted">{text.where}</td>}
                      </tr>
                    );
                  })}
                </tbody>
              </table>
            </div>
          </div>
        );
      }}
    </Answer>
  );
}
