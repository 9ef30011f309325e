// A cluster by form: how it is reached, a test that says what is wrong, what would change, then its first scan.
import { useState } from "react";
import { Link } from "react-router";
import { useTestCluster } from "@/api/clusters";
import { over, useScan, useStartScan } from "@/api/scans";
import type { DeclaredDocument } from "@/api/types";
import { ErrorNotice, Notice } from "@/components/Notice";
import { ScanProgress } from "@/components/ScanProgress";
import { ScanState } from "@/components/ScanState";
import { TextField } from "@/components/TextField";
import { TestedServers } from "@/features/clusters/TestedServers";
import { ApplyBox } from "@/features/policies/ApplyBox";
import {
  type ClusterForm,
  clusterDocument,
  clusterForm,
  clusterProblems,
  NEW_CLUSTER,
  secretProblem,
} from "@/lib/clusterForm";
import { plural } from "@/lib/format";
import { links } from "@/lib/links";
import { toYaml } from "@/lib/yaml";
import "@/styles/views.css";

const MECHANISMS = ["", "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] as const;
const WHERE = "Name of a variable, WEIR_SECRET_…, or file:NAME";

export function ClusterEditor({ known, onClose }: { known?: DeclaredDocument; onClose: () => void }) {
  const [form, setForm] = useState<ClusterForm>(known ? clusterForm(known) : NEW_CLUSTER);
  const [saved, setSaved] = useState(false);
  const set = (change: Partial<ClusterForm>) => setForm({ ...form, ...change });
  const document = clusterDocument(form, known);
  const problems = clusterProblems(form);
  const yaml = toYaml(document);
  return (
    <section className="panel stack" aria-labelledby="cluster-form">
      <div className="spread">
        <h2 id="cluster-form">{known ? `Change the cluster ${form.name}` : "Add a cluster"}</h2>
        <button type="button" className="button small" onClick={onClose}>
          Close
        </button>
      </div>
      <Fields form={form} set={set} known={known !== undefined} />
      {problems.length > 0 && (
        <ul className="muted small">
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      <Tested key={yaml} name={form.name.trim()} document={document} disabled={problems.length > 0} />
      {problems.length === 0 && <ApplyBox key={`${yaml} apply`} text={yaml} onApplied={() => setSaved(true)} />}
      {saved && <FirstScan cluster={form.name.trim()} />}
    </section>
  );
}

function Fields({
  form,
  set,
  known,
}: {
  form: ClusterForm;
  set: (change: Partial<ClusterForm>) => void;
  known: boolean;
}) {
  return (
    <>
      <div className="cards roomy">
        <TextField
          label="Name"
          value={form.name}
          onChange={(name) => set({ name })}
          placeholder="prod"
          disabled={known}
          required
        />
        <TextField
          label="Bootstrap servers"
          value={form.bootstrapServers}
          onChange={(bootstrapServers) => set({ bootstrapServers })}
          placeholder="broker-1:9092, broker-2:9092"
          required
          mono
        />
        <TextField label="Description" value={form.description} onChange={(description) => set({ description })} />
      </div>
      <fieldset className="stack-s plain-set">
        <legend>Security</legend>
        <label className="row">
          <input type="checkbox" checked={form.tls} onChange={(event) => set({ tls: event.target.checked })} /> TLS
        </label>
        {form.tls && (
          <div className="cards roomy">
            <TextField
              label="Authority (CA)"
              value={form.ca}
              onChange={(ca) => set({ ca })}
              hint="A file in the folder of secrets; empty: the system's"
            />
            <TextField
              label="Client certificate"
              value={form.certificate}
              onChange={(certificate) => set({ certificate })}
              hint="A file, where the brokers ask for one"
            />
            <TextField label="Client key" value={form.key} onChange={(key) => set({ key })} hint="A file" />
            <label className="row">
              <input
                type="checkbox"
                checked={form.verifyHostname}
                onChange={(event) => set({ verifyHostname: event.target.checked })}
              />{" "}
              Check the host name
            </label>
          </div>
        )}
        <div className="cards roomy">
          <div className="field">
            <label htmlFor="mechanism">Sign-in (SASL)</label>
            <select
              id="mechanism"
              className="select"
              value={form.mechanism}
              onChange={(event) => set({ mechanism: event.target.value as ClusterForm["mechanism"] })}
            >
              {MECHANISMS.map((name) => (
                <option key={name} value={name}>
                  {name || "none"}
                </option>
              ))}
            </select>
          </div>
          {form.mechanism && (
            <>
              <TextField label="User name" value={form.username} onChange={(username) => set({ username })} />
              <TextField
                label="Where the password is"
                value={form.password}
                onChange={(password) => set({ password })}
                hint={WHERE}
                problem={secretProblem(form.password)}
                mono
              />
            </>
          )}
        </div>
      </fieldset>
      <fieldset className="stack-s plain-set">
        <legend>Schema registry</legend>
        <div className="cards roomy">
          <TextField
            label="Registry URL"
            value={form.registry}
            onChange={(registry) => set({ registry })}
            placeholder="https://registry:8081"
            mono
          />
          {form.registry.trim() && (
            <>
              <TextField
                label="Registry user"
                value={form.registryUser}
                onChange={(registryUser) => set({ registryUser })}
              />
              <TextField
                label="Where the registry's password is"
                value={form.registryPassword}
                onChange={(registryPassword) => set({ registryPassword })}
                hint={WHERE}
                problem={secretProblem(form.registryPassword)}
                mono
              />
            </>
          )}
        </div>
      </fieldset>
      <fieldset className="stack-s plain-set">
        <legend>Kafka Connect</legend>
        <div className="cards roomy">
          <TextField
            label="Connect URL"
            value={form.connect}
            onChange={(connect) => set({ connect })}
            placeholder="https://connect:8083"
            mono
          />
          {form.connect.trim() && (
            <>
              <TextField
                label="Connect user"
                value={form.connectUser}
                onChange={(connectUser) => set({ connectUser })}
              />
              <TextField
                label="Where Connect's password is"
                value={form.connectPassword}
                onChange={(connectPassword) => set({ connectPassword })}
                hint={WHERE}
                problem={secretProblem(form.connectPassword)}
                mono
              />
            </>
          )}
        </div>
      </fieldset>
    </>
  );
}

/** Asks each server once, from where Weir runs. Nothing is stored. */
function Tested({ name, document, disabled }: { name: string; document: DeclaredDocument; disabled: boolean }) {
  const test = useTestCluster();
  return (
    <div className="stack-s">
      <div className="row">
        <button
          type="button"
          className="button"
          disabled={disabled || test.isPending}
          onClick={() => test.mutate({ name, spec: document.spec })}
        >
          {test.isPending ? "Asking the servers …" : "Test connection"}
        </button>
        <span className="muted small">Asks each server once; nothing is stored.</span>
      </div>
      {test.isError && <ErrorNotice error={test.error} />}
      {test.data && <TestedServers of={test.data} />}
    </div>
  );
}

function FirstScan({ cluster }: { cluster: string }) {
  const start = useStartScan();
  return (
    <div className="stack-s">
      <Notice tone="ok">
        <p>The cluster is declared.</p>
      </Notice>
      {start.data ? (
        <Followed id={start.data.id} />
      ) : (
        <div className="row">
          <button
            type="button"
            className="button primary"
            disabled={start.isPending}
            onClick={() => start.mutate({ cluster, topics: ["*"], sample: { strategy: "stratified", records: 1000 } })}
          >
            Scan its topics
          </button>
          <span className="muted small">Up to 1,000 records of each topic.</span>
        </div>
      )}
      {start.isError && <ErrorNotice error={start.error} />}
    </div>
  );
}

function Followed({ id }: { id: string }) {
  const scan = useScan(id);
  if (scan.isError) return <ErrorNotice error={scan.error} />;
  if (!scan.data) return null;
  return (
    <div className="stack-s">
      {over(scan.data) ? (
        <p role="status">
          <ScanState of={scan.data} /> {plural(scan.data.datasets.length, "topic")},{" "}
          {plural(scan.data.problems.length, "problem")}
        </p>
      ) : (
        <ScanProgress of={scan.data} />
      )}
      <div className="row">
        <Link to={links.scan(id)}>Open the scan</Link>
        {over(scan.data) && (
          <>
            <Link to={links.datasets()}>See its topics</Link>
            <Link to={links.review}>Review what was found</Link>
          </>
        )}
      </div>
    </div>
  );
}
