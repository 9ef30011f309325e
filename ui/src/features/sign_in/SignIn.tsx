import { useState } from "react";
import { ApiError } from "@/api/client";
import { ErrorNotice, Notice } from "@/components/Notice";
import { useTitle } from "@/components/PageHead";
import {
  endedBecause,
  readSession,
  signIn,
  signInAddress,
  signOutAddress,
  useProblem,
  useProviders,
} from "@/lib/session";

/** Asks Weir with the token before it is kept, so that a wrong one is told at once. */
async function check(token: string): Promise<void> {
  let answer: Response;
  try {
    answer = await fetch("/api/v1/datasets?limit=1", { headers: { Authorization: `Bearer ${token}` } });
  } catch {
    throw new ApiError(0, "unreachable", "Weir does not answer. Is it running? `weir status` shows.");
  }
  if (answer.status !== 401) return;
  throw new ApiError(
    401,
    "not_signed_in",
    "Weir does not know this token. Make one with: weir token create --user NAME",
  );
}

export function SignIn() {
  useTitle("Sign in");
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const ended = endedBecause();
  const providers = useProviders();
  const there = signOutAddress();
  const problem = useProblem();
  const back = window.location.pathname + window.location.search;
  return (
    <main className="signin">
      <form
        className="panel stack"
        onSubmit={async (event) => {
          event.preventDefault();
          const given = text.trim();
          if (!given) return;
          setBusy(true);
          setError(null);
          try {
            // A token holds no character a header could not carry.
            if (!/^[\x21-\x7e]+$/.test(given))
              throw new ApiError(401, "not_signed_in", "A token is one word without spaces.");
            await check(given);
            signIn(given);
          } catch (failure) {
            setError(failure);
            setBusy(false);
          }
        }}
      >
        <div className="row">
          <img src="/weir.svg" alt="" width={40} height={40} />
          <div>
            <h1>Weir</h1>
            <p className="muted">A catalog and governor for streams</p>
          </div>
        </div>
        {problem && <ErrorNotice error={problem} retry={() => void readSession()} />}
        {ended && !error && <Notice tone="warn">You were signed out: {ended}</Notice>}
        {there !== null && (
          <Notice tone="ok">
            You are signed out of Weir. The sign-in service may still know you: <a href={there}>sign out there too</a>.
          </Notice>
        )}
        {providers.map((provider) => (
          <a key={provider.name} className="button primary" href={signInAddress(provider.name, back)}>
            Sign in with {provider.title}
          </a>
        ))}
        {providers.length > 0 && <p className="muted small">Or with a token:</p>}
        <div className="field">
          <label htmlFor="token">Token</label>
          <input
            id="token"
            className="input mono"
            type="password"
            autoComplete="off"
            // biome-ignore lint/a11y/noAutofocus: the page holds one field and nothing else to read first.
            autoFocus={providers.length === 0}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <span className="hint">
            The first start wrote the admin's to <code>.weir/admin.token</code>. For others:{" "}
            <code>weir token create --user NAME</code>. A bearer token of your identity provider (OIDC) works too, where
            Weir is set to trust it.
          </span>
        </div>
        {Boolean(error) && <ErrorNotice error={error} />}
        <button
          type="submit"
          className={providers.length === 0 ? "button primary" : "button"}
          disabled={busy || !text.trim()}
        >
          {busy ? "One moment …" : "Sign in"}
        </button>
        <p className="muted small">The token stays in this tab and leaves with it.</p>
      </form>
    </main>
  );
}
