// Operating a connector, for those who may. Stopping is asked for twice: nothing flows until it is resumed.
import { useState } from "react";
import { type ConnectorAction, useOperateConnector } from "@/api/connectors";
import type { Connector } from "@/api/types";
import { Modal } from "@/components/Modal";
import { ErrorNotice } from "@/components/Notice";
import { actionsOf } from "@/lib/connectors";

const WORDS: Record<ConnectorAction, string> = { restart: "Restart", pause: "Pause", resume: "Resume", stop: "Stop" };

export function ConnectorActions({ connector }: { connector: Connector }) {
  const operate = useOperateConnector(connector.name);
  const [sure, setSure] = useState(false);
  if (!connector.may.operate) return null;
  return (
    <>
      {actionsOf(connector.state).map((action) => (
        <button
          key={action}
          type="button"
          className={`button ${action === "stop" ? "danger" : ""}`}
          disabled={operate.isPending}
          onClick={() => (action === "stop" ? setSure(true) : operate.mutate(action))}
        >
          {WORDS[action]}
        </button>
      ))}
      {operate.isError && <ErrorNotice error={operate.error} />}
      <Modal
        open={sure}
        onClose={() => setSure(false)}
        title={`Stop ${connector.name}?`}
        lead="Its tasks end. The connector and its offsets stay, and it continues from there when it is resumed."
      >
        <div className="actions">
          <button type="button" className="button" onClick={() => setSure(false)}>
            Cancel
          </button>
          <button
            type="button"
            className="button danger"
            disabled={operate.isPending}
            onClick={() => operate.mutate("stop", { onSettled: () => setSure(false) })}
          >
            Stop
          </button>
        </div>
      </Modal>
    </>
  );
}
