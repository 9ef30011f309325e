import { type ReactNode, useEffect } from "react";

/** The browser's title of a page. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Weir`;
  }, [title]);
}

export function PageHead({
  title,
  shown,
  lead,
  crumbs,
  children,
}: {
  title: string;
  shown?: ReactNode;
  lead?: ReactNode;
  crumbs?: ReactNode;
  children?: ReactNode;
}) {
  useTitle(title);
  return (
    <header className="page-head">
      <div className="stack-s grow">
        {crumbs && <div className="crumbs">{crumbs}</div>}
        <h1>{shown ?? title}</h1>
        {lead && <p className="lead">{lead}</p>}
      </div>
      {children && <div className="row">{children}</div>}
    </header>
  );
}
