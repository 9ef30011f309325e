// A cluster's document from a form, and the form from a document. What the form does not show stays as it was.
import type { DeclaredDocument } from "@/api/types";

export interface ClusterForm {
  name: string;
  bootstrapServers: string;
  tls: boolean;
  ca: string;
  certificate: string;
  key: string;
  verifyHostname: boolean;
  mechanism: "" | "PLAIN" | "SCRAM-SHA-256" | "SCRAM-SHA-512";
  username: string;
  /** Where the password is: a name, never the password. */
  password: string;
  registry: string;
  registryUser: string;
  registryPassword: string;
  connect: string;
  connectUser: string;
  connectPassword: string;
  description: string;
}

export const NEW_CLUSTER: ClusterForm = {
  name: "",
  bootstrapServers: "",
  tls: false,
  ca: "",
  certificate: "",
  key: "",
  verifyHostname: true,
  mechanism: "",
  username: "",
  password: "",
  registry: "",
  registryUser: "",
  registryPassword: "",
  connect: "",
  connectUser: "",
  connectPassword: "",
  description: "",
};

type Json = Record<string, unknown>;
const object = (value: unknown): Json => (typeof value === "object" && value !== null ? (value as Json) : {});
const text = (value: unknown) => (typeof value === "string" ? value : "");

/** `WEIR_SECRET_KAFKA` -> {env}, `file:kafka/password` -> {file}. */
export function secretOf(given: string): { env: string } | { file: string } {
  const name = given.trim();
  return name.startsWith("file:") ? { file: name.slice("file:".length).trim() } : { env: name };
}

/** {env: X} -> X, {file: X} -> file:X */
export function secretText(of: unknown): string {
  const { env, file } = object(of);
  return typeof file === "string" ? `file:${file}` : text(env);
}

/** Why a text names no place of a secret; null where it does, or is empty. A secret itself is not repeated. */
export function secretProblem(given: string): string | null {
  const name = given.trim();
  if (name === "" || /^file:\s*\S+$/.test(name) || /^WEIR_SECRET_[A-Z0-9_]+$/.test(name)) return null;
  return "Write the name of a variable, WEIR_SECRET_…, or file:NAME. The secret itself is never written here.";
}

/** Keys of `given` over those of `before`; a text that is empty takes its key away. */
function over(before: unknown, given: Json): Json | undefined {
  const made: Json = { ...object(before) };
  for (const [key, value] of Object.entries(given)) {
    if (value === "" || value === undefined) delete made[key];
    else made[key] = value;
  }
  return Object.keys(made).length > 0 ? made : undefined;
}

function server(before: unknown, url: string, username: string, password: string): Json | undefined {
  if (url.trim() === "") return undefined;
  const user = secretName(object(before).username, username);
  return over(before, { url: url.trim(), username: user, password: password.trim() ? secretOf(password) : "" });
}

/** A user name that is kept as a secret stays one while it is not changed. */
function secretName(before: unknown, username: string): unknown {
  return typeof before === "object" && before !== null && secretText(before) === username.trim()
    ? before
    : username.trim();
}

const named = (of: unknown) => (typeof of === "string" ? of : secretText(of));

export function clusterDocument(form: ClusterForm, known?: DeclaredDocument): DeclaredDocument {
  const before = object(known?.spec);
  const security = object(before.security);
  const tls = form.tls
    ? {
        ...over(security.tls, { ca: form.ca.trim(), certificate: form.certificate.trim(), key: form.key.trim() }),
        ...(form.verifyHostname ? {} : { verifyHostname: false }),
      }
    : undefined;
  if (tls && form.verifyHostname) delete (tls as Json).verifyHostname;
  const sasl = form.mechanism
    ? over(security.sasl, {
        mechanism: form.mechanism,
        username: secretName(object(security.sasl).username, form.username),
        password: form.password.trim() ? secretOf(form.password) : "",
      })
    : undefined;
  const spec: Json = { ...before, bootstrapServers: form.bootstrapServers.trim() };
  const parts: Json = {
    description: form.description.trim() || undefined,
    security: tls || sasl ? { ...(tls ? { tls } : {}), ...(sasl ? { sasl } : {}) } : undefined,
    schemaRegistry: server(before.schemaRegistry, form.registry, form.registryUser, form.registryPassword),
    connect: server(before.connect, form.connect, form.connectUser, form.connectPassword),
  };
  for (const [key, value] of Object.entries(parts)) {
    if (value === undefined) delete spec[key];
    else spec[key] = value;
  }
  return { apiVersion: "weir/v1", kind: "Cluster", metadata: known?.metadata ?? { name: form.name.trim() }, spec };
}

export function clusterForm({ metadata, spec }: DeclaredDocument): ClusterForm {
  const security = object(spec.security);
  const tls = object(security.tls);
  const sasl = object(security.sasl);
  const registry = object(spec.schemaRegistry);
  const connect = object(spec.connect);
  return {
    name: String(metadata.name),
    bootstrapServers: text(spec.bootstrapServers),
    tls: security.tls !== undefined && security.tls !== null,
    ca: text(tls.ca),
    certificate: text(tls.certificate),
    key: text(tls.key),
    verifyHostname: tls.verifyHostname !== false,
    mechanism: security.sasl ? ((text(sasl.mechanism) || "PLAIN") as ClusterForm["mechanism"]) : "",
    username: named(sasl.username),
    password: secretText(sasl.password),
    registry: text(registry.url),
    registryUser: named(registry.username),
    registryPassword: secretText(registry.password),
    connect: text(connect.url),
    connectUser: named(connect.username),
    connectPassword: secretText(connect.password),
    description: text(spec.description),
  };
}

/** Why the form cannot be tested yet, a sentence each. */
export function clusterProblems(form: ClusterForm): string[] {
  const problems: string[] = [];
  if (!form.name.trim()) problems.push("Give the cluster a name.");
  if (!form.bootstrapServers.trim()) problems.push("Give at least one bootstrap server, as HOST:PORT.");
  if (form.mechanism && !(form.username.trim() && form.password.trim()))
    problems.push("SASL needs a user name and where its password is.");
  for (const [what, given] of [
    ["the brokers", form.mechanism ? form.password : ""],
    ["the registry", form.registry.trim() ? form.registryPassword : ""],
    ["Kafka Connect", form.connect.trim() ? form.connectPassword : ""],
  ] as const) {
    const problem = secretProblem(given);
    if (problem) problems.push(`The password of ${what}: ${problem}`);
  }
  return problems;
}
