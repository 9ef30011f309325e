// Sessions that go on: whose, on which machine, since when; each can be ended.
import { useState } from "react";
import { type SessionEntry, useEndSession, useSessions } from "@/api/sessions";
import { Answer } from "@/components/Answer";
import { Empty } from "@/components/Empty";
import { ErrorNotice } from "@/components/Notice";
import { When } from "@/components/When";

export function SessionTable({ all }: { all: boolean }) {
  const sessions = useSessions(all);
  const end = useEndSession();
  return (
    <div className="stack">
      {end.isError && <ErrorNotice error={end.error} />}
      <Answer of={sessions}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="No sessions" />
          ) : (
            <div className="panel flush table-wrap">
              <table className="table">
                <thead>
                  <tr>
                    {all && <th>User</th>}
                    <th>Where</th>
                    <th>By</th>
                    <th>Signed in</th>
                    <th>Last used</th>
                    <th>Ends</th>
                    <th>
                      <span className="visually-hidden">End</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {list.map((one) => (
                    <Row key={one.id} session={one} all={all} onEnd={() => end.mutate(one.id)} />
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Answer>
    </div>
  );
}

function Row({ session, all, onEnd }: { session: SessionEntry; all: boolean; onEnd: () => void }) {
  const [sure, setSure] = useState(false);
  return (
    <tr>
      {all && <td className="strong">{session.user}</td>}
      <td>
        {session.label} {session.kind === "cli" && <span className="badge">command line</span>}{" "}
        {session.current && <span className="badge ok">this one</span>}
      </td>
      <td>{session.provider}</td>
      <td>
        <When at={session.created} />
      </td>
      <td>
        <When at={session.used} />
      </td>
      <td>
        <When at={session.idleEnd} />
      </td>
      <td className="right">
        <button type="button" className="button small danger" onClick={() => (sure ? onEnd() : setSure(true))}>
          {sure ? "Really end it" : "End"}
        </button>
      </td>
    </tr>
  );
}
