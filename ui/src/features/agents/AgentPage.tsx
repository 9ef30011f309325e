// One agent: for whom it acts, what its token takes away, what it did lately, and a button that ends it.
import { Link, useParams } from "react-router";
import { type AgentCall, useAgent, useEndAgent } from "@/api/agents";
import { Answer } from "@/components/Answer";
import { DataTable } from "@/components/DataTable";
import { Empty } from "@/components/Empty";
import { EndButton } from "@/components/EndButton";
import { ErrorNotice } from "@/components/Notice";
import { PageHead } from "@/components/PageHead";
import { When } from "@/components/When";
import { AgentStateBadge } from "@/features/agents/AgentStateBadge";
import { limitWords, todayWords } from "@/lib/agents";
import { actionWords } from "@/lib/auditWords";
import { links } from "@/lib/links";
import { useMay } from "@/lib/may";

export default function AgentPage() {
  const { id = "" } = useParams();
  const page = useAgent(id);
  const end = useEndAgent();
  const { may } = useMay();
  return (
    <div className="page">
      <Answer of={page} title={`Agent: ${id}`}>
        {({ agent, calls }) => (
          <div className="stack">
            <PageHead title={`Agent: ${agent.name}`} shown={agent.name} />
            <div className="panel stack">
              <div className="row">
                <AgentStateBadge of={agent} />
                <span>
                  acts for <span className="strong">{agent.user}</span>, for {agent.purpose}, on{" "}
                  <span className="mono small">{agent.datasets.join(", ")}</span>
                </span>
              </div>
              <span>{limitWords(agent)}</span>
              <span>Rows today: {todayWords(agent)}</span>
              <span>
                Ends <When at={agent.endedAt ?? agent.expiresAt} />
              </span>
              {end.isError && <ErrorNotice error={end.error} />}
              {agent.active && agent.mayEnd && (
                <div>
                  <EndButton onEnd={() => end.mutate(agent.id)} word="End this agent" />
                </div>
              )}
            </div>
            <Calls list={calls} />
            {may("audit:read") && <Link to={links.audit({ agent: agent.id })}>All of it in the audit</Link>}
          </div>
        )}
      </Answer>
    </div>
  );
}

function Calls({ list }: { list: AgentCall[] }) {
  if (list.length === 0) return <Empty title="It did nothing yet" />;
  return (
    <div className="panel flush">
      <DataTable
        table="agent-calls"
        label="What it did lately"
        rows={list}
        rowKey={(call) => `${call.at} ${call.action} ${call.target}`}
        columns={[
          { id: "at", head: "At", sort: (call) => call.at, cell: (call) => <When at={call.at} /> },
          { id: "tool", head: "Tool", sort: (call) => call.tool, cell: (call) => call.tool },
          { id: "action", head: "What", sort: (call) => call.action, cell: (call) => actionWords(call.action) },
          {
            id: "target",
            head: "Of",
            sort: (call) => call.target,
            cell: (call) => <span className="mono small">{call.target}</span>,
          },
          { id: "decision", head: "Outcome", sort: (call) => call.decision, cell: (call) => call.decision },
          { id: "rows", head: "Rows", sort: (call) => call.rows, cell: (call) => call.rows?.toLocaleString("en") },
          {
            id: "fields",
            head: "Fields",
            cell: (call) => <span className="mono small">{Object.values(call.fields).flat().join(", ")}</span>,
          },
        ]}
      />
    </div>
  );
}
