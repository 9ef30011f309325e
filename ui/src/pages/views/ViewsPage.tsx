// Every stream view: its state, how far it is behind, what it reads and writes.
import { Link } from "react-router";
import { useViews } from "@/api/views";
import { Answer } from "@/components/Answer";
import { Empty } from "@/components/Empty";
import { PageHead } from "@/components/PageHead";
import { links, referenceLink } from "@/lib/links";
import { lagText } from "@/lib/views";
import { ViewState } from "@/pages/views/ViewState";
import "@/styles/views.css";

export default function ViewsPage() {
  const views = useViews();
  return (
    <div className="page wide">
      <PageHead title="Views" lead="Governed queries whose answer is kept up to date.">
        <Link className="button" to={links.query()}>
          Write a query
        </Link>
      </PageHead>
      <Answer of={views} lines={6}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="There is no view yet">
              <p>
                Write a query and choose <strong>Save as view</strong>, or declare <code>kind: View</code>.
              </p>
            </Empty>
          ) : (
            <div className="panel flush table-wrap">
              <table className="table">
                <thead>
                  <tr>
                    <th>View</th>
                    <th>State</th>
                    <th>Behind</th>
                    <th>Generation</th>
                    <th>Reads</th>
                    <th>Writes</th>
                    <th>Runs as</th>
                  </tr>
                </thead>
                <tbody>
                  {list.map((view) => (
                    <tr key={view.name}>
                      <td>
                        <Link to={links.view(view.name)}>{view.name}</Link>
                        {view.error && (
                          <div className="small bad-text anywhere">{String(view.error.message ?? "")}</div>
                        )}
                      </td>
                      <td>
                        <ViewState state={view.state} />
                      </td>
                      <td className="nowrap">{lagText(view.lag)}</td>
                      <td>
                        {view.generation ?? "–"}
                        {view.building && <span className="muted"> → {view.building.generation}</span>}
                      </td>
                      <td>
                        {view.sources.map((source) => (
                          <div key={source}>
                            <Link to={referenceLink(source)}>{source}</Link>
                          </div>
                        ))}
                      </td>
                      <td>
                        {view.sink ? (
                          <Link to={links.dataset(view.sink.cluster, view.sink.topic)}>{view.sink.topic}</Link>
                        ) : (
                          <span className="muted">a private topic</span>
                        )}
                      </td>
                      <td>{String(view.runAs.user ?? view.runAs.serviceAccount ?? "")}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Answer>
    </div>
  );
}
