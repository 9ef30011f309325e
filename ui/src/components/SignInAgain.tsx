// The session is over while somebody works on a page: they sign in again in another window, and the page goes on.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { Modal } from "@/components/Modal";
import { resume, signInAddress, useInterrupted, useProviders } from "@/lib/session";

export function SignInAgain() {
  const why = useInterrupted();
  const providers = useProviders();
  const client = useQueryClient();
  const was = useRef<string | null>(null);
  useEffect(() => {
    // What failed while the session was over is read again.
    if (was.current !== null && why === null) void client.invalidateQueries();
    was.current = why;
  }, [why, client]);
  return (
    <Modal
      open={why !== null}
      onClose={() => resume(false)}
      title="Sign in again"
      lead="Your session is over. The page stays as it is, with all that you typed."
    >
      <div className="stack">
        <p>{why}</p>
        {providers.map((provider) => (
          <button
            key={provider.name}
            type="button"
            className="button primary"
            onClick={() =>
              window.open(signInAddress(provider.name, "/signed-in"), "_blank", "popup,width=520,height=720")
            }
          >
            Sign in with {provider.title}
          </button>
        ))}
        <p className="muted small">It opens a window; come back to this page when it has closed.</p>
      </div>
    </Modal>
  );
}
