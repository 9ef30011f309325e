import { Plus } from "lucide-react";
import { useState } from "react";
import { Link, useSearchParams } from "react-router";
import { useTestKnown } from "@/api/clusters";
import { useDeclared } from "@/api/declared";
import { useClusters, useRemoveCluster } from "@/api/scans";
import type { Cluster } from "@/api/types";
import { Answer } from "@/components/Answer";
import { DataTable } from "@/components/DataTable";
import { Empty } from "@/components/Empty";
import { Modal } from "@/components/Modal";
import { Needs } from "@/components/Needs";
import { ErrorNotice } from "@/components/Notice";
import { ClusterEditor } from "@/features/clusters/ClusterEditor";
import { TestedServers } from "@/features/clusters/TestedServers";
import { ScanForm } from "@/features/scans/ScanForm";
import { count, plural } from "@/lib/format";
import { links } from "@/lib/links";
import { useMay } from "@/lib/may";

export function Clusters() {
  const clusters = useClusters();
  const manages = useMay().may("manage");
  const declared = useDeclared("Cluster");
  const [params, setParams] = useSearchParams();
  const adding = manages && params.get("add") === "cluster";
  const edited = manages ? declared.data?.find((d) => d.metadata.name === params.get("edit")) : undefined;
  // One form at a time: the scan form has an address field of the same name.
  const editing = adding || edited !== undefined;
  return (
    <div className="stack">
      <div className="spread">
        <p className="muted">Declared clusters, and addresses that scans met.</p>
        <Needs permission="manage" what="Adding and changing clusters">
          <button type="button" className="button primary" onClick={() => setParams({ add: "cluster" })}>
            <Plus size={15} aria-hidden /> Add a cluster
          </button>
        </Needs>
      </div>
      {adding && <ClusterEditor key="new" onClose={() => setParams({})} />}
      {edited && <ClusterEditor key={String(edited.metadata.name)} known={edited} onClose={() => setParams({})} />}
      <Answer of={clusters}>
        {(list) =>
          list.length === 0 ? (
            <div className="panel" hidden={editing}>
              <Empty title="No clusters yet">
                <p>The first scan of an address makes one; a declared Cluster document gives it a name.</p>
              </Empty>
            </div>
          ) : (
            <div className="panel flush">
              <DataTable
                table="clusters"
                label="Clusters"
                rows={list}
                rowKey={(c) => c.name}
                columns={[
                  {
                    id: "name",
                    head: "Cluster",
                    sort: (c) => c.name,
                    cell: (c) => (
                      <>
                        <strong>{c.name}</strong> {c.declared === false && <span className="badge">met by a scan</span>}
                      </>
                    ),
                  },
                  {
                    id: "servers",
                    head: "Bootstrap servers",
                    className: "anywhere",
                    cell: (c) => <span className="mono">{c.bootstrapServers.join(", ")}</span>,
                  },
                  {
                    id: "id",
                    head: "Cluster ID",
                    cell: (c) => <span className="mono small">{c.clusterId ?? "not asked yet"}</span>,
                  },
                  {
                    id: "registry",
                    head: "Schema registry",
                    cell: (c) => <span className="mono small anywhere">{c.schemaRegistry ?? "none"}</span>,
                  },
                  {
                    id: "datasets",
                    head: "Datasets",
                    className: "number",
                    sort: (c) => c.datasets,
                    cell: (c) => (
                      <Link to={links.search({ kind: "dataset", cluster: c.name })}>{count(c.datasets)}</Link>
                    ),
                  },
                  manages && {
                    id: "change",
                    head: "Change or remove",
                    tool: true,
                    className: "right",
                    cell: (c) => (
                      <span className="row">
                        <TestCluster name={c.name} />
                        {c.declared !== false && (
                          <button type="button" className="button small" onClick={() => setParams({ edit: c.name })}>
                            Change<span className="visually-hidden"> {c.name}</span>
                          </button>
                        )}
                        <RemoveCluster cluster={c} />
                      </span>
                    ),
                  },
                ]}
              />
            </div>
          )
        }
      </Answer>
      {!editing && <ScanForm clusters={clusters.data ?? []} />}
    </div>
  );
}

/** Asks the servers of a cluster when it is opened, and shows what they answer. */
function TestCluster({ name }: { name: string }) {
  const [open, setOpen] = useState(false);
  const test = useTestKnown(name);
  return (
    <>
      <button
        type="button"
        className="button small"
        onClick={() => {
          setOpen(true);
          test.mutate();
        }}
      >
        Test connection<span className="visually-hidden"> of {name}</span>
      </button>
      <Modal
        open={open}
        onClose={() => setOpen(false)}
        title={`Connection of ${name}`}
        lead="Each server is asked once, from where Weir runs; nothing is stored."
      >
        <div className="stack-s" role="status" aria-busy={test.isPending}>
          {test.isPending && <p className="muted">Asking the servers …</p>}
          {test.isError && <ErrorNotice error={test.error} />}
          {test.data && <TestedServers of={test.data} />}
        </div>
        <div className="actions">
          <button type="button" className="button" disabled={test.isPending} onClick={() => test.mutate()}>
            Test again
          </button>
          <button type="button" className="button primary" onClick={() => setOpen(false)}>
            Close
          </button>
        </div>
      </Modal>
    </>
  );
}

/** Removes a cluster after a second word. Its topics leave the catalog; Kafka itself is not touched. */
function RemoveCluster({ cluster }: { cluster: Cluster }) {
  const [sure, setSure] = useState(false);
  const remove = useRemoveCluster();
  const close = () => {
    setSure(false);
    remove.reset();
  };
  const lead =
    cluster.declared === false
      ? `${plural(cluster.datasets ?? 0, "dataset")} of it leave the catalog. Nothing changes in Kafka; a later scan brings them back.`
      : "Its declaration is deleted. What scans learned of its topics stays. Nothing changes in Kafka.";
  return (
    <>
      <button type="button" className="button small danger" onClick={() => setSure(true)}>
        Remove<span className="visually-hidden"> {cluster.name}</span>
      </button>
      <Modal open={sure} onClose={close} title={`Remove the cluster ${cluster.name}?`} lead={lead}>
        {remove.isError && (
          <div style={{ marginTop: 12 }}>
            <ErrorNotice error={remove.error} />
          </div>
        )}
        <div className="actions">
          <button type="button" className="button" onClick={close}>
            Cancel
          </button>
          <button
            type="button"
            className="button danger"
            disabled={remove.isPending}
            onClick={() => remove.mutate(cluster.name, { onSuccess: close })}
          >
            {remove.isPending ? "One moment …" : "Remove"}
          </button>
        </div>
      </Modal>
    </>
  );
}
