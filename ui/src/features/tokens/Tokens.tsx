// API tokens: who has one, until when; make one, end one.
import { useState } from "react";
import { Link } from "react-router";
import { useCreateToken, useEndToken, useTokens } from "@/api/tokens";
import { Answer } from "@/components/Answer";
import { DataTable } from "@/components/DataTable";
import { Empty } from "@/components/Empty";
import { EndButton } from "@/components/EndButton";
import { PageNeeds } from "@/components/Needs";
import { ErrorNotice } from "@/components/Notice";
import { When } from "@/components/When";
import { TokenSecret } from "@/features/tokens/TokenSecret";
import { TokenStateBadge } from "@/features/tokens/TokenStateBadge";
import { links } from "@/lib/links";
import { tokenState } from "@/lib/tokens";

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
      <p className="muted">
        Tokens of people. Those of programs have scopes and are made under{" "}
        <Link to={links.admin("service-accounts")}>Service accounts</Link>.
      </p>
      {create.isError && <ErrorNotice error={create.error} />}
      {end.isError && <ErrorNotice error={end.error} />}
      {create.data && <TokenSecret user={create.data.user} token={create.data.token} />}
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
                    cell: (t) => (
                      <>
                        <span className="strong">{t.user}</span>{" "}
                        {t.service && <span className="badge">service account</span>}
                      </>
                    ),
                  },
                  {
                    id: "token",
                    head: "Token",
                    cell: (t) => <span className="mono small">{t.name || t.id}</span>,
                  },
                  {
                    id: "created",
                    head: "Created",
                    sort: (t) => t.createdAt,
                    cell: (t) => <When at={t.createdAt} />,
                  },
                  {
                    id: "ends",
                    head: "Ends",
                    sort: (t) => t.expiresAt,
                    cell: (t) => <When at={t.expiresAt} never="no end" />,
                  },
                  {
                    id: "state",
                    head: "State",
                    sort: (t) => tokenState(t),
                    cell: (t) => <TokenStateBadge of={t} />,
                  },
                  {
                    id: "end",
                    head: "End",
                    tool: true,
                    className: "right",
                    cell: (t) => tokenState(t) === "valid" && <EndButton onEnd={() => end.mutate(t.id)} />,
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
