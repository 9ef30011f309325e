// Connectors of Kafka Connect in words: states, tasks, the values of a configuration, a document to begin with.
import type { Connector } from "@/api/types";
import { plural } from "@/lib/format";

type Tone = "ok" | "warn" | "bad" | "";

const TONES: Record<string, Tone> = {
  running: "ok",
  failed: "bad",
  missing: "bad",
  unknown: "bad",
  unassigned: "warn",
  restarting: "warn",
  deleting: "warn",
  paused: "",
  stopped: "",
};

export const connectorTone = (state: string): Tone => TONES[state] ?? "warn";

/** What a state means where its word alone does not say it. */
export function stateText(state: string): string {
  if (state === "unknown") return "worker not asked";
  if (state === "missing") return "missing at the worker";
  return state;
}

/** "2 of 3 running", "3 running", "none". */
export function tasksText(tasks: readonly { state: string }[]): string {
  if (tasks.length === 0) return "none";
  const running = tasks.filter((task) => task.state === "running").length;
  return running === tasks.length ? `${running} running` : `${running} of ${tasks.length} running`;
}

/** Why it does not do its work, in one sentence; null where nothing is wrong. */
export function lastError(of: Pick<Connector, "error" | "tasks" | "pending">): string | null {
  return of.error ?? of.tasks.find((task) => task.error)?.error ?? of.pending?.reason ?? null;
}

/** What operators may do in a state. */
export function actionsOf(state: string): ("restart" | "pause" | "resume" | "stop")[] {
  if (state === "missing" || state === "deleting") return [];
  if (state === "paused") return ["resume", "restart", "stop"];
  if (state === "stopped") return ["resume"];
  return ["pause", "restart", "stop"];
}

export interface ConfigValue {
  text: string;
  /** Where a secret is, which is all that is known of it here. */
  secret: boolean;
}

/** A value of a declared configuration. A secret is a reference to where it is kept, never the secret. */
export function configValue(value: unknown): ConfigValue {
  if (typeof value === "object" && value !== null) {
    const { env, file } = value as { env?: unknown; file?: unknown };
    if (typeof env === "string") return { text: `environment variable ${env}`, secret: true };
    if (typeof file === "string") return { text: `file ${file}`, secret: true };
    return { text: "(not shown)", secret: true };
  }
  const text = String(value);
  return { text, secret: /^\$\{[^}]+\}$/.test(text) };
}

/** How many connectors do not do their work, in words; empty where all do. */
export function troubleText(list: readonly Pick<Connector, "state">[]): string {
  const failed = list.filter((each) => each.state === "failed" || each.state === "missing").length;
  const unknown = list.filter((each) => each.state === "unknown").length;
  const parts = [
    failed > 0 ? `${plural(failed, "connector")} failed or missing` : "",
    unknown > 0 ? `the worker of ${plural(unknown, "connector")} does not answer` : "",
  ];
  return parts.filter(Boolean).join("; ");
}

const CLUSTER = `apiVersion: weir/v1
kind: Cluster
metadata: {name: prod}
spec:
  bootstrapServers: broker:9092
  connect: {url: "https://connect:8083", username: weir, password: {env: WEIR_SECRET_CONNECT}}
---
`;

/** A document to begin with: a connector that reads a table. Without a cluster, the cluster with its worker too; a
 * cluster that is declared already is left out, since applying it again would replace it. */
export function firstConnector(cluster?: string): string {
  return `${cluster === undefined ? CLUSTER : ""}apiVersion: weir/v1
kind: Connector
metadata: {name: shop-customers}
spec:
  cluster: ${cluster ?? "prod"}
  plugin: io.debezium.connector.postgresql.PostgresConnector
  config:
    database.hostname: db.internal
    database.user: weir
    database.password: {env: WEIR_SECRET_SHOP_DB}
    database.dbname: shop
    topic.prefix: shop
    table.include.list: public.customers
  owners: [{group: team-shop}]
`;
}
