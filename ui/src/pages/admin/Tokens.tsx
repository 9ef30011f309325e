// API tokens: who has one, until when; make one, end one.
import { useState } from "react";
import { useCreateToken, useEndToken, useTokens } from "@/api/tokens";
import { Answer } from "@/components/Answer";
import { CopyButton } from "@/components/CopyButton";
import { DataTable } from "@/components/DataTable";
import { Empty } from "@/components/Empty";
import { PageNeeds } from "@/components/Needs";
import { ErrorNotice, Notice } from "@/components/Notice";
import { When } from "@/components/When";

export function Tokens() {
  return (
    <PageNeeds permission="manage" what="Creating and revoking tokens">
      <All />
    </PageNeeds>
  );
}

function All() {
  const tokens = useTokens();
  const create = useCreateToken();
  const end = useEndToken();
  const [user, setUser] = useState("");
  const [days, setDays] = useState("");
  return (
    <div className="stack">
      <form
        className="panel row"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate({ user: user.trim(), days: days ? Number(days) : null });
        }}
      >
        <input
          className="input"
          style={{ width: 220 }}
          aria-label="User of the token"
          placeholder="User"
          value={user}
          onChange={(e) => setUser(e.target.value)}
        />
        <input
          className="input"
          style={{ width: 190 }}
          type="number"
          min={1}
          aria-label="Validity in days"
          placeholder="days (empty: no end)"
          value={days}
          onChange={(e) => setDays(e.target.value)}
        />
        <button type="submit" className="button primary" disabled={create.isPending || !user.trim()}>
          Make a token
        </button>
      </form>
      {create.isError && <ErrorNotice error={create.error} />}
      {end.isError && <ErrorNotice error={end.error} />}
      {create.data && (
        <Notice tone="ok">
          <p>{create.data.user}'s token, shown only now: Weir keeps no more than its hash.</p>
          <p className="row">
            <code className="anywhere">{create.data.token}</code>
            <CopyButton text={create.data.token} what="token" />
          </p>
        </Notice>
      )}
      <Answer of={tokens}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="No tokens" />
          ) : (
            <div className="panel flush">
              <DataTable
                table="tokens"
                label="Tokens"
                rows={list}
                rowKey={(t) => t.id}
                columns={[
                  {
                    id: "user",
                    head: "User",
                    sort: (t) => t.user,
                    cell: (t) => <span className="strong">{t.user}</span>,
                  },
                  {
                    id: "token",
                    head: "Token",
                    cell: (t) => <span className="mono small">{t.name || t.id}</span>,
                  },
                  {
                    id: "created",
                    head: "Created",
                    sort: (t) => t.created_at,
                    cell: (t) => <When at={t.created_at} />,
                  },
                  {
                    id: "ends",
                    head: "Ends",
                    sort: (t) => t.expires_at,
                    cell: (t) => <When at={t.expires_at} never="no end" />,
                  },
                  {
                    id: "state",
                    head: "State",
                    sort: (t) => Number(Boolean(t.revoked_at)),
                    cell: (t) =>
                      t.revoked_at ? <span className="badge">ended</span> : <span className="badge ok">valid</span>,
                  },
                  {
                    id: "end",
                    head: "End",
                    tool: true,
                    className: "right",
                    cell: (t) => !t.revoked_at && <End onEnd={() => end.mutate(t.id)} />,
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

function End({ onEnd }: { onEnd: () => void }) {
  const [sure, setSure] = useState(false);
  return (
    <button type="button" className="button small danger" onClick={() => (sure ? onEnd() : setSure(true))}>
      {sure ? "Really end it" : "End"}
    </button>
  );
}
