import { describe, expect, it } from "vitest";
import { clusterDocument, clusterForm, clusterProblems, NEW_CLUSTER, secretOf, secretProblem } from "@/lib/clusterForm";

const form = (more: Partial<typeof NEW_CLUSTER>) => ({
  ...NEW_CLUSTER,
  name: "prod",
  bootstrapServers: "broker:9092",
  ...more,
});

describe("a cluster by form", () => {
  it("is as short as what was filled in", () => {
    expect(clusterDocument(form({}))).toEqual({
      apiVersion: "weir/v1",
      kind: "Cluster",
      metadata: { name: "prod" },
      spec: { bootstrapServers: "broker:9092" },
    });
  });

  it("has TLS, SASL, a registry and Kafka Connect, secrets by reference only", () => {
    const { spec } = clusterDocument(
      form({
        tls: true,
        ca: "ca.pem",
        verifyHostname: false,
        mechanism: "SCRAM-SHA-512",
        username: "weir",
        password: "WEIR_SECRET_KAFKA",
        registry: "https://registry:8081",
        registryUser: "r",
        registryPassword: "file:registry",
        connect: "https://connect:8083",
      }),
    );
    expect(spec).toEqual({
      bootstrapServers: "broker:9092",
      security: {
        tls: { ca: "ca.pem", verifyHostname: false },
        sasl: { mechanism: "SCRAM-SHA-512", username: "weir", password: { env: "WEIR_SECRET_KAFKA" } },
      },
      schemaRegistry: { url: "https://registry:8081", username: "r", password: { file: "registry" } },
      connect: { url: "https://connect:8083" },
    });
  });

  it("keeps what the form does not show, and comes back as it was", () => {
    const known = {
      apiVersion: "weir/v1",
      kind: "Cluster",
      metadata: { name: "prod" },
      spec: {
        bootstrapServers: "a:1",
        properties: { "client.id": "x" },
        scan: { every: "1d" },
        security: {
          tls: { ca: "ca.pem", keyPassword: { env: "WEIR_SECRET_K" } },
          sasl: { mechanism: "PLAIN", username: { env: "WEIR_SECRET_U" }, password: { env: "WEIR_SECRET_P" } },
        },
        schemaRegistry: { url: "http://r:1", ca: "r.pem" },
        flink: { url: "http://f:1" },
      },
    } as never;
    expect(clusterDocument(clusterForm(known), known)).toEqual(known);
    const changed = clusterDocument({ ...clusterForm(known), tls: false, mechanism: "", registry: "" }, known);
    expect(changed.spec).toEqual({
      bootstrapServers: "a:1",
      properties: { "client.id": "x" },
      scan: { every: "1d" },
      flink: { url: "http://f:1" },
    });
  });

  it("takes TLS without a CA, which is the system's", () => {
    expect(clusterDocument(form({ tls: true })).spec).toEqual({
      bootstrapServers: "broker:9092",
      security: { tls: {} },
    });
  });
});

describe("secrets", () => {
  it("are names of places", () => {
    expect(secretOf("WEIR_SECRET_X")).toEqual({ env: "WEIR_SECRET_X" });
    expect(secretOf("file: a/b ")).toEqual({ file: "a/b" });
    expect(secretProblem("hunter2")).not.toContain("hunter2");
    expect(secretProblem("file:kafka")).toBeNull();
  });

  it("are missed where SASL needs one", () => {
    expect(clusterProblems(form({}))).toEqual([]);
    expect(clusterProblems(form({ mechanism: "PLAIN", username: "u" }))).toHaveLength(1);
    expect(clusterProblems(form({ registry: "http://r:1", registryPassword: "hunter2" }))[0]).toMatch(/registry/);
    expect(clusterProblems(form({ password: "hunter2" }))).toEqual([]);
    expect(clusterProblems(NEW_CLUSTER)).toHaveLength(2);
  });
});
