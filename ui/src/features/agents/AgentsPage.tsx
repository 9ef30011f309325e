// Every agent that acts for the signed-in person, or for anybody: its limits, its rows of today, and a button that ends it.
import { useState } from "react";
import { Link } from "react-router";
import { type AgentEntry, useAgents, useEndAgent } from "@/api/agents";
import { Answer } from "@/components/Answer";
import { DataTable } from "@/components/DataTable";
import { Empty } from "@/components/Empty";
import { EndButton } from "@/components/EndButton";
import { ErrorNotice } from "@/components/Notice";
import { PageHead } from "@/components/PageHead";
import { When } from "@/components/When";
import { AgentStateBadge } from "@/features/agents/AgentStateBadge";
import { agentState, limitWords, todayWords } from "@/lib/agents";
import { links } from "@/lib/links";
import { useMay } from "@/lib/may";

export default function AgentsPage() {
  const { may } = useMay();
  const seesAll = may("manage") || may("review") || may("audit:read");
  const [all, setAll] = useState(true);
  return (
    <div className="page">
      <PageHead title="Agents" />
      <p className="muted">
        Programs that act for a person by a token of their own. An agent sees at most what its person sees at that
        moment, less what its token takes away.
      </p>
      {seesAll && (
        <label className="row">
          <input type="checkbox" checked={all} onChange={(event) => setAll(event.target.checked)} />
          Agents of everybody
        </label>
      )}
      <AgentTable all={seesAll && all} />
    </div>
  );
}

function AgentTable({ all }: { all: boolean }) {
  const agents = useAgents(all);
  const end = useEndAgent();
  return (
    <div className="stack">
      {end.isError && <ErrorNotice error={end.error} />}
      <Answer of={agents}>
        {(list) =>
          list.length === 0 ? (
            <div className="panel">
              <Empty title="No agents">
                <p>
                  Make a token for one: <code>weir token create --agent NAME --purpose P --dataset D --expires 7d</code>
                </p>
              </Empty>
            </div>
          ) : (
            <div className="panel flush">
              <DataTable
                table="agents"
                label="Agents"
                rows={list}
                rowKey={(one) => one.id}
                columns={[
                  {
                    id: "name",
                    head: "Agent",
                    sort: (one) => one.name,
                    cell: (one) => (
                      <Link className="strong" to={links.agent(one.id)}>
                        {one.name}
                      </Link>
                    ),
                  },
                  { id: "person", head: "Acts for", sort: (one) => one.user, cell: (one) => one.user },
                  { id: "purpose", head: "Purpose", sort: (one) => one.purpose, cell: (one) => one.purpose },
                  {
                    id: "datasets",
                    head: "Datasets",
                    cell: (one) => <span className="mono small">{one.datasets.join(", ")}</span>,
                  },
                  { id: "limits", head: "Limits", cell: limitWords },
                  { id: "today", head: "Rows today", sort: (one) => one.rowsToday, cell: todayWords },
                  {
                    id: "used",
                    head: "Last call",
                    sort: (one) => one.usedAt,
                    cell: (one) => <When at={one.usedAt} never="none yet" />,
                  },
                  {
                    id: "ends",
                    head: "Ends",
                    sort: (one) => one.expiresAt,
                    cell: (one) => <When at={one.expiresAt} />,
                  },
                  {
                    id: "state",
                    head: "State",
                    sort: (one) => agentState(one),
                    cell: (one) => <AgentStateBadge of={one} />,
                  },
                  {
                    id: "end",
                    head: "End",
                    tool: true,
                    className: "right",
                    cell: (one) => <EndAgent of={one} onEnd={() => end.mutate(one.id)} />,
                  },
                ]}
              />
            </div>
          )
        }
      </Answer>
    </div>
  );
}

function EndAgent({ of: agent, onEnd }: { of: AgentEntry; onEnd: () => void }) {
  return agent.active && agent.mayEnd ? <EndButton onEnd={onEnd} of={`agent ${agent.name}`} /> : null;
}
