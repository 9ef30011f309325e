import { Link } from "react-router";
import type { AccessRequest } from "@/api/types";
import { RequestState } from "@/components/RequestState";
import { When } from "@/components/When";
import { plural } from "@/lib/format";
import { links } from "@/lib/links";

const FEW = 3;

/** Requests, the whole line leading to each; `user` reads as "you". */
export function RequestTable({ requests, user }: { requests: AccessRequest[]; user: string | undefined }) {
  return (
    <div className="panel flush table-wrap">
      <table className="table">
        <thead>
          <tr>
            <th>Dataset and fields</th>
            <th>Who</th>
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
                <Link to={links.request(r.id)} className="strong" title={r.id}>
                  {r.dataset}
                </Link>
                <div className="mono small muted anywhere" title={r.fields.join("\n")}>
                  {fieldsText(r.fields)}
                </div>
              </td>
              <td>{r.requester === user ? "you" : r.requester}</td>
              <td className="anywhere">{r.purpose}</td>
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

function fieldsText(fields: string[]): string {
  if (fields.length === 1 && fields[0] === "*") return "every field";
  const rest = fields.length - FEW;
  return fields.slice(0, FEW).join(", ") + (rest > 0 ? ` and ${plural(rest, "more", "more")}` : "");
}
