import { Link } from "react-router";
import type { AccessRequest } from "@/api/types";
import { RequestState } from "@/components/RequestState";
import { When } from "@/components/When";
import { links, referenceLink } from "@/lib/links";

export function RequestTable({ requests, user }: { requests: AccessRequest[]; user: string | undefined }) {
  return (
    <div className="panel flush table-wrap">
      <table className="table">
        <thead>
          <tr>
            <th>Request</th>
            <th>Who</th>
            <th>Dataset and fields</th>
            <th>Purpose</th>
            <th>State</th>
            <th>Asked</th>
            <th>Until</th>
          </tr>
        </thead>
        <tbody>
          {requests.map((r) => (
            <tr key={r.id}>
              <td>
                <Link to={links.request(r.id)} className="mono">
                  {r.id.slice(0, 8)}
                </Link>
              </td>
              <td>{r.requester === user ? "you" : r.requester}</td>
              <td>
                <Link to={referenceLink(r.dataset)}>{r.dataset}</Link>
                <div className="mono small anywhere">{r.fields.join(", ")}</div>
              </td>
              <td>{r.purpose}</td>
              <td>
                <RequestState of={r} />
              </td>
              <td>
                <When at={r.createdAt} />
              </td>
              <td>
                <When at={r.until} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
