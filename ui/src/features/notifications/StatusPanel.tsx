import type { NotifyStatus } from "@/api/types";
import { When } from "@/components/When";

/** For administrators: what is set up, figures by state, failures, people whose address is unknown. */
export function StatusPanel({ of: s }: { of: NotifyStatus }) {
  return (
    <section className="panel stack" aria-labelledby="delivery">
      <h2 id="delivery">Delivery to everybody</h2>
      <dl className="facts">
        <dt>Mail server</dt>
        <dd>
          {s.mail.host ? `${s.mail.host}:${s.mail.port} (${s.mail.security}), from ${s.mail.sender}` : "not set up"}
        </dd>
        <dt>Chat services</dt>
        <dd>{s.chat ? "allowed" : "not allowed"}</dd>
        <dt>Links in messages</dt>
        <dd>{s.links ? "yes" : "none: set WEIR_API__PUBLIC_URL"}</dd>
        <dt>Without a known address</dt>
        <dd>
          {s.withoutAddress} people
          {s.withoutAddress > 0 && <span className="muted"> ({s.withoutAddressNames.slice(0, 20).join(", ")})</span>}
        </dd>
        {s.missedByAddress > 0 && (
          <>
            <dt>Missed notices by that</dt>
            <dd>{s.missedByAddressNames.join(", ")}</dd>
          </>
        )}
      </dl>
      {s.counts.length > 0 && (
        <table className="table">
          <thead>
            <tr>
              <th>Channel</th>
              <th>State</th>
              <th className="right">Notices</th>
              <th>Oldest</th>
            </tr>
          </thead>
          <tbody>
            {s.counts.map((c) => (
              <tr key={`${c.channel} ${c.state}`}>
                <td>{c.channel}</td>
                <td>{c.state}</td>
                <td className="right">{c.notices}</td>
                <td>
                  <When at={c.oldest} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {s.problems.map((p) => (
        <p key={`${p.channel} ${p.problem}`} className="small">
          <span className="badge bad">{p.notices}</span> {p.channel}: {p.problem}
        </p>
      ))}
    </section>
  );
}
