import { describe, expect, it } from "vitest";
import {
  actionsOf,
  configValue,
  connectorTone,
  firstConnector,
  lastError,
  stateText,
  tasksText,
  troubleText,
} from "@/lib/connectors";

const task = (state: string, error: string | null = null) => ({ id: 0, state, worker: "w:8083", error });

describe("connectors in words", () => {
  it("counts the tasks that run", () => {
    expect(tasksText([])).toBe("none");
    expect(tasksText([task("running"), task("running")])).toBe("2 running");
    expect(tasksText([task("running"), task("failed"), task("unassigned")])).toBe("1 of 3 running");
  });

  it("takes the worker's reason first, then a task's, then what waits", () => {
    expect(lastError({ error: null, tasks: [], pending: null })).toBeNull();
    expect(lastError({ error: "It cannot connect.", tasks: [task("failed", "other")], pending: null })).toBe(
      "It cannot connect.",
    );
    expect(lastError({ error: null, tasks: [task("running"), task("failed", "No such file.")], pending: null })).toBe(
      "No such file.",
    );
    expect(lastError({ error: null, tasks: [], pending: { since: null, reason: "The worker is away." } })).toBe(
      "The worker is away.",
    );
  });

  it("shows a worker that does not answer as bad, and a state it does not know as a warning", () => {
    expect(connectorTone("running")).toBe("ok");
    expect(connectorTone("unknown")).toBe("bad");
    expect(connectorTone("destroyed")).toBe("warn");
    expect(stateText("unknown")).toBe("worker not asked");
    expect(stateText("paused")).toBe("paused");
  });

  it("offers what can be done in a state", () => {
    expect(actionsOf("running")).toContain("pause");
    expect(actionsOf("failed")).toContain("restart");
    expect(actionsOf("paused")).not.toContain("pause");
    expect(actionsOf("stopped")).toEqual(["resume"]);
    expect(actionsOf("missing")).toEqual([]);
    expect(actionsOf("deleting")).toEqual([]);
  });

  it("shows of a secret where it is kept, and nothing of any other structure", () => {
    expect(configValue({ env: "WEIR_SECRET_DB" })).toEqual({
      text: "environment variable WEIR_SECRET_DB",
      secret: true,
    });
    expect(configValue({ file: "db" })).toEqual({ text: "file db", secret: true });
    expect(configValue({ plain: "hunter2" })).toEqual({ text: "(not shown)", secret: true });
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference that the worker resolves.
    expect(configValue("${file:/run/db:password}").secret).toBe(true);
    expect(configValue(5432)).toEqual({ text: "5432", secret: false });
    expect(configValue(false)).toEqual({ text: "false", secret: false });
  });

  it("counts what does not work", () => {
    expect(troubleText([{ state: "running" }])).toBe("");
    expect(troubleText([{ state: "failed" }, { state: "missing" }, { state: "unknown" }])).toBe(
      "2 connectors failed or missing; the worker of 1 connector does not answer",
    );
  });

  it("begins with documents that hold no secret, and never with a cluster that is declared already", () => {
    expect(firstConnector()).toMatch(/kind: Cluster[\s\S]*kind: Connector/);
    expect(firstConnector()).not.toMatch(/password: (?!\{env:)/);
    expect(firstConnector("eu-1")).not.toMatch(/kind: Cluster/);
    expect(firstConnector("eu-1")).toMatch(/cluster: eu-1/);
  });
});
