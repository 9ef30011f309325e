// What waits for a person: one row a thing to do, with one action. Broken things come first.
import { CircleAlert, CircleDot, Info } from "lucide-react";
import { Link } from "react-router";
import { type InboxRow, type Inbox as Rows, useInbox } from "@/api/inbox";
import { Answer } from "@/components/Answer";
import { Loading } from "@/components/Loading";
import { Notice } from "@/components/Notice";
import { endsWhen, groups, sinceWhen } from "@/lib/inbox";
import "@/styles/inbox.css";

export function Inbox() {
  const inbox = useInbox();
  return (
    <section className="panel flush inbox" aria-labelledby="inbox" aria-busy={inbox.isPending}>
      <div className="panel-head">
        <h2 id="inbox">Inbox</h2>
      </div>
      <Answer of={inbox} lines={4}>
        {(rows) => <InboxRows of={rows} />}
      </Answer>
    </section>
  );
}

/** The rows by role; without headings where there is one role alone. */
export function InboxRows({ of: { rows, uncounted, counting, next } }: { of: Rows }) {
  const parts = groups(rows);
  return (
    <>
      {parts.map(({ duty, title, rows: own }) => (
        <div key={duty}>
          {parts.length > 1 && <h3>{title}</h3>}
          <ul className="list">
            {own.map((row) => (
              <Row key={`${row.kind} ${row.subject} ${row.link}`} of={row} />
            ))}
          </ul>
        </div>
      ))}
      {next && (
        <p className="spread nothing">
          <span>{next.text}</span>
          <Link className="button small" to={next.link}>
            {next.action}
          </Link>
        </p>
      )}
      {counting.length > 0 && <Loading lines={1} label={`Counting ${counting.join(", ")}`} />}
      {uncounted.length > 0 && (
        <Notice tone="warn">
          <ul className="small">
            {uncounted.map(({ part, message }) => (
              <li key={part}>
                Not counted: {part}. {message}
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </>
  );
}

const SIGNS = {
  broken: { Icon: CircleAlert, tone: "bad-text", word: "Broken" },
  waiting: { Icon: CircleDot, tone: "waits", word: "Waiting" },
  news: { Icon: Info, tone: "muted", word: "News" },
};

function Row({ of: row }: { of: InboxRow }) {
  const { Icon, tone, word } = SIGNS[row.tone];
  return (
    <li className="row-nowrap">
      <Icon size={16} className={tone} aria-hidden />
      <span className="grow anywhere">
        <span className="visually-hidden">{word}: </span>
        <Link to={row.link} className="strong">
          {row.subject}
        </Link>{" "}
        {row.text}
        {row.until && (
          <>
            {" "}
            <time dateTime={row.until} title={row.until}>
              {endsWhen(row.until)}
            </time>
          </>
        )}
        {row.since && (
          <>
            {" "}
            <time className="muted" dateTime={row.since} title={row.since}>
              {sinceWhen(row.since)}
            </time>
          </>
        )}
      </span>
      <Link className="button small nowrap" to={row.link} aria-label={`${row.action}: ${row.subject}`}>
        {row.action}
      </Link>
    </li>
  );
}
