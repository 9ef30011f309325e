// New records for a topic of the demo, so that something arrives while a query follows it.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { tokenOf, WEIR } from "./weir";

const VENV = fileURLToPath(new URL("../../.venv/bin/python", import.meta.url));
const PROGRAM = `
import json, sys
from confluent_kafka import Producer
servers, topic, key, value = sys.argv[1:]
producer = Producer({"bootstrap.servers": servers})
producer.produce(topic, key=key, value=value)
sys.exit(producer.flush(20))
`;

/** Writes one JSON record to a topic of a cluster Weir knows. The driver is that of Weir's own environment. */
export async function produce(cluster: string, topic: string, key: string, value: unknown): Promise<void> {
  const answer = await fetch(`${WEIR}/api/v1/clusters/${cluster}`, {
    headers: { Authorization: `Bearer ${tokenOf("admin")}` },
  });
  const { bootstrapServers } = (await answer.json()) as { bootstrapServers: string[] };
  const python = process.env.WEIR_PYTHON ?? (existsSync(VENV) ? VENV : "python3");
  const done = spawnSync(python, ["-c", PROGRAM, bootstrapServers.join(","), topic, key, JSON.stringify(value)], {
    encoding: "utf8",
    timeout: 60_000,
  });
  if (done.status !== 0) throw new Error(`the record was not written: ${done.stderr}`);
}
