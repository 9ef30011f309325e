// A command line wants in: the person compares its code, and signs in for it.
import { useState } from "react";
import { continueDevice, refuseDevice, type WaitingDevice, waitingDevice } from "@/api/sessions";
import { ErrorNotice, Notice } from "@/components/Notice";
import { useTitle } from "@/components/PageHead";
import { When } from "@/components/When";
import { useProviders } from "@/lib/session";

export function DevicePage() {
  useTitle("Sign in a command line");
  const providers = useProviders();
  const [code, setCode] = useState(() => new URLSearchParams(window.location.search).get("code") ?? "");
  const [device, setDevice] = useState<WaitingDevice | null>(null);
  const [refused, setRefused] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const attempt = (work: () => Promise<void>) => {
    setError(null);
    work().catch(setError);
  };
  return (
    <main className="signin">
      <form
        className="panel stack"
        onSubmit={(event) => {
          event.preventDefault();
          attempt(async () => setDevice(await waitingDevice(code)));
        }}
      >
        <h1>Sign in a command line</h1>
        {Boolean(error) && <ErrorNotice error={error} />}
        {refused ? (
          <Notice tone="ok">The command line was not let in. You can close this page.</Notice>
        ) : device === null ? (
          <>
            <div className="field">
              <label htmlFor="code">Code that the command line shows</label>
              <input
                id="code"
                className="input mono"
                autoComplete="off"
                placeholder="XXXX-XXXX"
                value={code}
                onChange={(event) => setCode(event.target.value)}
              />
            </div>
            <button type="submit" className="button primary" disabled={!code.trim()}>
              Continue
            </button>
          </>
        ) : (
          <>
            <p>
              <strong>{device.label}</strong> shows the code <code>{device.userCode}</code>, since{" "}
              <When at={device.created} />. It will be able to do all that you may do.
            </p>
            <Notice tone="warn">
              Continue only if you ran <code>weir login</code> yourself, and see this very code there.
            </Notice>
            {providers.map((provider) => (
              <button
                key={provider.name}
                type="button"
                className="button primary"
                onClick={() =>
                  attempt(async () => window.location.assign(await continueDevice(device.userCode, provider.name)))
                }
              >
                It is mine: sign in with {provider.title}
              </button>
            ))}
            <button
              type="button"
              className="button danger"
              onClick={() =>
                attempt(async () => {
                  await refuseDevice(device.userCode);
                  setRefused(true);
                })
              }
            >
              I do not know this code
            </button>
          </>
        )}
      </form>
    </main>
  );
}
