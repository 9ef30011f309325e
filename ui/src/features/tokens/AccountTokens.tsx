// Tokens of service accounts, to rotate and to revoke.
import { RefreshCw } from "lucide-react";
import { useState } from "react";
import { type TokenEntry, useEndToken } from "@/api/tokens";
import { DataTable } from "@/components/DataTable";
import { Empty } from "@/components/Empty";
import { EndButton } from "@/components/EndButton";
import { ErrorNotice } from "@/components/Notice";
import { Segments } from "@/components/Segments";
import { When } from "@/components/When";
import { WordList } from "@/components/WordList";
import { TokenStateBadge } from "@/features/tokens/TokenStateBadge";
import { tokenState } from "@/lib/tokens";

export function AccountTokens({ of, onRotate }: { of: TokenEntry[]; onRotate: (token: TokenEntry) => void }) {
  const end = useEndToken();
  const [shown, setShown] = useState<"valid" | "all">("valid");
  const list = shown === "all" ? of : of.filter((token) => tokenState(token) === "valid");
  return (
    <section className="stack" aria-labelledby="account-tokens">
      <div className="spread">
        <h2 id="account-tokens">Tokens</h2>
        <Segments
          label="Which tokens"
          value={shown}
          options={[
            { value: "valid", text: "Valid" },
            { value: "all", text: `All (${of.length})` },
          ]}
          onChange={setShown}
        />
      </div>
      {end.isError && <ErrorNotice error={end.error} />}
      {list.length === 0 ? (
        <div className="panel">
          <Empty title={of.length === 0 ? "No tokens yet" : "No valid tokens"}>
            <p>Without one, no account signs in. Make one with the button Token of an account.</p>
          </Empty>
        </div>
      ) : (
        <div className="panel flush">
          <DataTable
            table="account-tokens"
            label="Tokens of service accounts"
            rows={list}
            rowKey={(t) => t.id}
            columns={[
              { id: "account", head: "Account", sort: (t) => t.user, cell: (t) => <strong>{t.user}</strong> },
              {
                id: "token",
                head: "Token",
                sort: (t) => t.name || t.id,
                cell: (t) => (
                  <>
                    {t.name && <div>{t.name}</div>}
                    <span className="mono small muted">{t.id}</span>
                  </>
                ),
              },
              { id: "scopes", head: "Scopes", sort: (t) => t.scopes?.join(), cell: (t) => <WordList of={t.scopes} /> },
              { id: "created", head: "Created", sort: (t) => t.createdAt, cell: (t) => <When at={t.createdAt} /> },
              { id: "used", head: "Last used", sort: (t) => t.usedAt, cell: (t) => <When at={t.usedAt} /> },
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
                cell: (t) => (
                  <>
                    <TokenStateBadge of={t} />
                    {t.rotatedTo && (
                      <div className="muted small">
                        rotated to <span className="mono">{t.rotatedTo}</span>
                      </div>
                    )}
                  </>
                ),
              },
              {
                id: "do",
                head: "Rotate or revoke",
                tool: true,
                className: "right nowrap",
                cell: (t) =>
                  tokenState(t) === "valid" && (
                    <>
                      {!t.rotatedTo && t.expiresAt && (
                        <button type="button" className="button quiet small" onClick={() => onRotate(t)}>
                          <RefreshCw size={13} aria-hidden /> Rotate
                          <span className="visually-hidden"> {t.name || t.id}</span>
                        </button>
                      )}{" "}
                      <EndButton word="Revoke" of={t.name || t.id} onEnd={() => end.mutate(t.id)} />
                    </>
                  ),
              },
            ]}
          />
        </div>
      )}
    </section>
  );
}
