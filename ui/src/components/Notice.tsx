import { CircleAlert, CircleCheck, Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { ApiError } from "@/api/client";
import { Reasons, reasonList } from "@/components/Reasons";
import { Sentence } from "@/components/Sentence";

const ICONS = { bad: CircleAlert, warn: TriangleAlert, ok: CircleCheck, info: Info };

/** A sentence that matters, with room for what to do about it. */
export function Notice({ tone = "info", children }: { tone?: keyof typeof ICONS; children: ReactNode }) {
  const Icon = ICONS[tone];
  return (
    <div className={`notice ${tone}`} role={tone === "bad" ? "alert" : "status"}>
      <Icon size={17} aria-hidden />
      <div className="grow stack-s">{children}</div>
    </div>
  );
}

/** A failure in Weir's own words, its reasons, and a way to try again. */
export function ErrorNotice({ error, retry, children }: { error: unknown; retry?: () => void; children?: ReactNode }) {
  const known = error instanceof ApiError ? error : null;
  return (
    <Notice tone={known?.status === 404 ? "warn" : "bad"}>
      <p className="anywhere">
        <Sentence of={error instanceof Error ? error.message : String(error)} />
      </p>
      <Reasons reasons={reasonList(known?.details.reasons)} />
      {children}
      {retry && known?.status !== 403 && (
        <div>
          <button type="button" className="button small" onClick={retry}>
            Try again
          </button>
        </div>
      )}
    </Notice>
  );
}
