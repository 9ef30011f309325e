import type { TestedCluster } from "@/api/types";
import { Notice } from "@/components/Notice";

/** What each server of a cluster answered. */
export function TestedServers({ of }: { of: TestedCluster }) {
  return of.checks.map((check) => (
    <Notice key={check.what} tone={check.ok ? "ok" : "bad"}>
      <p className="anywhere">
        <strong>{check.what}</strong>: {check.message}
      </p>
    </Notice>
  ));
}
