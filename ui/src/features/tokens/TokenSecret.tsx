import type { ReactNode } from "react";
import type { MadeToken, RotatedToken } from "@/api/tokens";
import { CopyButton } from "@/components/CopyButton";
import { Notice } from "@/components/Notice";
import { When } from "@/components/When";

/** The text of a new token, shown this one time. */
export function TokenSecret({ user, token, children }: { user: string; token: string; children?: ReactNode }) {
  return (
    <Notice tone="ok">
      <p>{user}'s token, shown only now: Weir keeps no more than its hash.</p>
      <p className="row">
        <code className="anywhere">{token}</code>
        <CopyButton text={token} what="token" />
      </p>
      {children}
    </Notice>
  );
}

/** A token that was made or rotated just now, in sight until it is put away. */
export function NewToken({ of, onDone }: { of: MadeToken | RotatedToken; onDone: () => void }) {
  return (
    <div ref={(shown) => shown?.scrollIntoView({ block: "nearest" })}>
      <TokenSecret user={of.user} token={of.token}>
        {"before" in of && (
          <p>
            The one before, <span className="mono">{of.before.id}</span>, ends <When at={of.before.expiresAt} />.
          </p>
        )}
        <div>
          <button type="button" className="button small" onClick={onDone}>
            I have copied it
          </button>
        </div>
      </TokenSecret>
    </div>
  );
}
