import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Loading } from "@/components/Loading";
import { ErrorNotice } from "@/components/Notice";

/** An answer of the API: while it comes, when it fails, and when it is there. */
export function Answer<T>({
  of,
  children,
  lines,
}: {
  of: UseQueryResult<T, Error>;
  children: (data: T) => ReactNode;
  lines?: number;
}) {
  if (of.data !== undefined) return <>{children(of.data)}</>;
  if (of.isError) return <ErrorNotice error={of.error} retry={() => void of.refetch()} />;
  return <Loading {...(lines ? { lines } : {})} />;
}
