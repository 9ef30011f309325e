import type { ReactNode } from "react";
import { Link } from "react-router";

/** A part of the first page: its name, where all of it is, and its content. */
export function Panel({
  id,
  title,
  all,
  children,
}: {
  id: string;
  title: string;
  all?: { to: string; text: string };
  children: ReactNode;
}) {
  return (
    <section className="panel stack-s" aria-labelledby={id}>
      <div className="spread">
        <h2 id={id}>{title}</h2>
        {all && (
          <Link to={all.to} className="small">
            {all.text}
          </Link>
        )}
      </div>
      {children}
    </section>
  );
}
