// API tokens: who has one, until when; make one, end one.
import { useState } from "react";
import { type TokenEntry, useCreateToken, useEndToken, useTokens } from "@/api/tokens";
import { Answer } from "@/components/Answer";
import { CopyButton } from "@/components/CopyButton";
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
            <div className="panel flush table-wrap">
              <table className="table">
                <thead>
                  <tr>
                    <th>User</th>
                    <th>Token</th>
                    <th>Created</th>
                    <th>Ends</th>
                    <th>State</th>
                    <th>
                      <span className="visually-hidden">End</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {list.map((t) => (
                    <Row key={t.id} token={t} onEnd={() => end.mutate(t.id)} />
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

function Row({ token, onEnd }: { token: TokenEntry; onEnd: () => void }) {
  const [sure, setSure] = useState(false);
  return (
    <tr>
      <td className="strong">{token.user}</td>
      <td className="mono small">{token.name || token.id}</td>
      <td>
        <When at={token.created_at} />
      </td>
      <td>
        <When at={token.expires_at} never="no end" />
      </td>
      <td>{token.revoked_at ? <span className="badge">ended</span> : <span className="badge ok">valid</span>}</td>
      <td className="right">
        {!token.revoked_at && (
          <button type="button" className="button small danger" onClick={() => (sure ? onEnd() : setSure(true))}>
            {sure ? "Really end it" : "End"}
          </button>
        )}
      </td>
    </tr>
  );
}
