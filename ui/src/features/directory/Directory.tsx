// A company's directory (SCIM): whether it is connected and how to connect it, and whom it keeps here.
import { useState } from "react";
import { Link } from "react-router";
import { useDeclared } from "@/api/declared";
import { type DirectoryShown, useDirectory } from "@/api/directory";
import { type MadeToken, useTokens } from "@/api/tokens";
import { Answer } from "@/components/Answer";
import { CopyButton } from "@/components/CopyButton";
import { PageNeeds } from "@/components/Needs";
import { Notice } from "@/components/Notice";
import { When } from "@/components/When";
import { DirectoryGroups } from "@/features/directory/DirectoryGroups";
import { DirectoryPeople } from "@/features/directory/DirectoryPeople";
import { AccountEditor } from "@/features/tokens/AccountEditor";
import { MakeToken } from "@/features/tokens/TokenDialogs";
import { NewToken } from "@/features/tokens/TokenSecret";
import { type Connection, connection, firstAccount } from "@/lib/directory";
import { links } from "@/lib/links";

export function Directory() {
  return (
    <PageNeeds permission="manage" what="Seeing and connecting a directory">
      <All />
    </PageNeeds>
  );
}

function All() {
  const directory = useDirectory();
  const tokens = useTokens();
  return (
    <div className="stack">
      <p className="muted">
        A company's directory (Okta, Entra ID, Keycloak) creates, changes and deactivates people and groups here by SCIM
        2.0. People who are declared by hand are under <Link to={links.admin("users")}>Users</Link>.
      </p>
      <Answer of={directory}>
        {(shown) => (
          <>
            <Answer of={tokens}>{(list) => <Connect shown={shown} now={connection(list)} />}</Answer>
            <DirectoryPeople counts={shown.people} />
            <DirectoryGroups total={shown.groups} rules={shown.rules} />
          </>
        )}
      </Answer>
    </div>
  );
}

function Connect({ shown, now }: { shown: DirectoryShown; now: Connection }) {
  return (
    <section className="panel stack" aria-labelledby="directory-connection">
      <h2 id="directory-connection">Connection</h2>
      <dl className="facts">
        <dt>State</dt>
        <dd>
          {now.tokens.length > 0 ? (
            <span className="badge ok">on</span>
          ) : (
            <>
              <span className="badge">off</span> No valid token keeps a directory. Make one below, then enter it and the
              address at your provider.
            </>
          )}
        </dd>
        <dt>Last call</dt>
        <dd>
          <When at={now.lastCall} />
        </dd>
        <dt>Address</dt>
        <dd>
          {shown.address ? (
            <span className="row">
              <code className="anywhere">{shown.address}</code>
              <CopyButton text={shown.address} what="address" />
            </span>
          ) : (
            <>Not known. Set WEIR_API__PUBLIC_URL to the address of Weir, and start it again.</>
          )}
        </dd>
        <dt>At the provider</dt>
        <dd>
          The address as SCIM connector base URL (Okta) or Tenant URL (Entra ID), the token as HTTP Header or Secret
          Token, userName as the unique field; create, update and deactivate users, push groups.
        </dd>
        {now.tokens.map((token) => (
          <TokenLine key={token.id} user={token.user} id={token.id} end={token.expiresAt} />
        ))}
      </dl>
      <DirectoryToken now={now} />
    </section>
  );
}

function TokenLine({ user, id, end }: { user: string; id: string; end: string | null | undefined }) {
  return (
    <>
      <dt>Token</dt>
      <dd>
        <p>
          of {user}, <span className="mono small">{id}</span>, ends <When at={end} />.{" "}
          <Link to={links.admin("service-accounts")}>Rotate or revoke</Link>
        </p>
      </dd>
    </>
  );
}

/** Makes the token of the directory, of an account that is there or of a new one. */
function DirectoryToken({ now }: { now: Connection }) {
  const declared = useDeclared("ServiceAccount");
  const [chosen, setChosen] = useState<string | null>(null);
  const [step, setStep] = useState<"account" | "token" | null>(null);
  const [made, setMade] = useState<MadeToken | null>(null);
  if (made) return <NewToken of={made} onDone={() => setMade(null)} />;
  return (
    <Answer of={declared}>
      {(documents) => {
        const names = documents.filter(({ spec }) => spec.disabled !== true).map(({ metadata }) => metadata.name);
        const account = chosen ?? firstAccount(names, now.tokens);
        return (
          <>
            <div className="row">
              <select
                className="select"
                aria-label="Account of the token"
                value={account}
                onChange={(event) => setChosen(event.target.value)}
              >
                {names.map((name) => (
                  <option key={name} value={name}>
                    {name}
                  </option>
                ))}
                <option value="">a new service account</option>
              </select>
              <button type="button" className="button primary" onClick={() => setStep(account ? "token" : "account")}>
                Make its token
              </button>
            </div>
            {now.tokens.length > 0 && (
              <Notice>
                <p>
                  A token keeps the directory already. Rotate it where it is to be replaced: both are good for a time.
                </p>
              </Notice>
            )}
            {step === "account" && (
              <AccountEditor
                of={null}
                name={names.includes("directory") ? "" : "directory"}
                onClose={() => setStep(null)}
                onAdded={(name) => {
                  setChosen(name);
                  setStep("token");
                }}
              />
            )}
            {step === "token" && account && (
              <MakeToken
                user={account}
                scopes={["scim"]}
                onClose={() => setStep(null)}
                onMade={(token) => {
                  setMade(token);
                  setStep(null);
                }}
              />
            )}
          </>
        );
      }}
    </Answer>
  );
}
