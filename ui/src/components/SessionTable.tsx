// Sessions that go on: whose, on which machine, since when; each can be ended.
import { type SessionEntry, useEndSession, useSessions } from "@/api/sessions";
import { Answer } from "@/components/Answer";
import { DataTable } from "@/components/DataTable";
import { Empty } from "@/components/Empty";
import { EndButton } from "@/components/EndButton";
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
            <div className="panel">
              <Empty title="No sessions">
                <p>A sign-in by the identity provider is listed here. One with a token leaves no session.</p>
              </Empty>
            </div>
          ) : (
            <div className="panel flush">
              <DataTable
                table="sessions"
                label="Sessions"
                rows={list}
                rowKey={(one) => one.id}
                columns={[
                  all && {
                    id: "user",
                    head: "User",
                    sort: (one) => one.user,
                    cell: (one) => <span className="strong">{one.user}</span>,
                  },
                  { id: "where", head: "Where", sort: (one) => one.label, cell: (one) => <Where of={one} /> },
                  { id: "by", head: "By", sort: (one) => one.provider, cell: (one) => one.provider },
                  {
                    id: "since",
                    head: "Signed in",
                    sort: (one) => one.created,
                    cell: (one) => <When at={one.created} />,
                  },
                  { id: "used", head: "Last used", sort: (one) => one.used, cell: (one) => <When at={one.used} /> },
                  { id: "ends", head: "Ends", sort: (one) => one.idleEnd, cell: (one) => <When at={one.idleEnd} /> },
                  {
                    id: "end",
                    head: "End",
                    tool: true,
                    className: "right",
                    cell: (one) => <EndButton onEnd={() => end.mutate(one.id)} />,
                  },
                ]}
              />
            </div>
          )
        }
      </Answer>
    </div>
  );
}

function Where({ of: session }: { of: SessionEntry }) {
  return (
    <>
      {session.label} {session.kind === "cli" && <span className="badge">command line</span>}{" "}
      {session.current && <span className="badge ok">this one</span>}
    </>
  );
}
