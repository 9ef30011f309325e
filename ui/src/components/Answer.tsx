import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Loading } from "@/components/Loading";
import { ErrorNotice } from "@/components/Notice";
import { PageHead } from "@/components/PageHead";

/** An answer of the API: while it comes, when it fails, and when it is there. `title`: of a page that fails as a whole. */
export function Answer<T>({
  of,
  children,
  lines,
  title,
}: {
  of: UseQueryResult<T, Error>;
  children: (data: T) => ReactNode;
  lines?: number;
  title?: string;
}) {
  if (of.data !== undefined) return <>{children(of.data)}</>;
  if (of.isError) {
    const notice = <ErrorNotice error={of.error} retry={() => void of.refetch()} />;
    return title === undefined ? (
      notice
    ) : (
      <>
        <PageHead title={title} />
        {notice}
      </>
    );
  }
  return <Loading {...(lines ? { lines } : {})} />;
}
