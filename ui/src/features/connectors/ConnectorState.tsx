import { connectorTone, stateText } from "@/lib/connectors";

export function ConnectorState({ state }: { state: string }) {
  return <span className={`badge ${connectorTone(state)}`}>{stateText(state)}</span>;
}
