// The topic as its brokers and its registry describe it.
import { useState } from "react";
import { usePartitions, useRate, useTopicAcls, useTopicConfig } from "@/api/topics";
import type { DatasetDetails, TopicConfig } from "@/api/types";
import { Answer } from "@/components/Answer";
import { BarChart } from "@/components/BarChart";
import { DataTable } from "@/components/DataTable";
import { Notice } from "@/components/Notice";
import { Segments } from "@/components/Segments";
import { Sizes } from "@/features/topics/Sizes";
import { SubjectsPanel } from "@/features/topics/SubjectsPanel";
import { bytes, count, duration, plural } from "@/lib/format";
import { useChoice } from "@/lib/useChoice";
import "@/styles/topic.css";

interface Place {
  place: string;
  name: string;
}

export default function TopicTab({ dataset }: { dataset: DatasetDetails }) {
  const at = { place: dataset.cluster ?? dataset.namespace, name: dataset.name };
  return (
    <div className="stack">
      <Rate {...at} />
      <Sizes {...at} />
      <Partitions {...at} />
      <Configuration {...at} />
      <SubjectsPanel {...at} />
      <Acls {...at} may={dataset.may.access} />
    </div>
  );
}

const SPANS = [
  { value: 1, text: "1 hour" },
  { value: 24, text: "1 day" },
  { value: 168, text: "7 days" },
  { value: 720, text: "30 days" },
];

function perTime(perSecond: number): string {
  if (perSecond >= 1) return `${count(Math.round(perSecond * 10) / 10)} a second`;
  if (perSecond * 60 >= 1) return `${count(Math.round(perSecond * 60))} a minute`;
  return `${count(Math.round(perSecond * 3600))} an hour`;
}

function Rate({ place, name }: Place) {
  const [hours, setHours] = useChoice("rate", SPANS, 24);
  const rate = useRate(place, name, hours);
  return (
    <section className="panel" aria-labelledby="rate">
      <div className="spread">
        <h2 id="rate">Message rate</h2>
        <Segments label="How far back" value={hours} options={SPANS} onChange={setHours} />
      </div>
      <Answer of={rate}>
        {(found) =>
          found.withheld ? (
            <p className="muted">You see some rows only, so records are not counted for you.</p>
          ) : (
            <>
              <p>
                <strong>{plural(found.records ?? 0, "record")}</strong> by their times, {perTime(found.perSecond ?? 0)}{" "}
                on average
              </p>
              <BarChart
                title={`Records in each ${duration(found.seconds * 1000)}`}
                bars={found.buckets.map((b) => ({ at: b.at, value: b.records }))}
                text={(bar) => `${bar.at.slice(0, 16).replace("T", " ")}: ${plural(bar.value, "record")}`}
              />
            </>
          )
        }
      </Answer>
    </section>
  );
}

function Partitions({ place, name }: Place) {
  const partitions = usePartitions(place, name);
  return (
    <section className="panel flush" aria-labelledby="partitions">
      <h2 id="partitions" className="panel-head">
        Partitions
      </h2>
      <Answer of={partitions}>
        {(found) => (
          <>
            <p className="muted small panel-note">
              {plural(found.partitions.length, "partition")}
              {found.records !== null && `, about ${plural(found.records, "record")}`}
              {found.size !== null && `, ${bytes(found.size)} a copy`}
              {found.withheld
                ? ". You see some rows only, so offsets, counts and sizes are withheld."
                : found.size === null
                  ? ". The size is not known: the brokers report it to users with DESCRIBE on the cluster."
                  : "."}
            </p>
            <DataTable
              table="partitions"
              label="Partitions"
              rows={found.partitions}
              rowKey={(p) => p.partition}
              columns={[
                { id: "partition", head: "Partition", sort: (p) => p.partition, cell: (p) => p.partition },
                {
                  id: "leader",
                  head: "Leader",
                  sort: (p) => p.leader,
                  cell: (p) => (p.leader === null ? <span className="badge bad">none</span> : `broker ${p.leader}`),
                },
                { id: "replicas", head: "Replicas", cell: (p) => p.replicas.join(", ") },
                {
                  id: "in-sync",
                  head: "In sync",
                  sort: (p) => p.inSync.length,
                  cell: (p) => (
                    <>
                      {p.inSync.join(", ")}{" "}
                      {p.inSync.length < p.replicas.length && <span className="badge warn">under-replicated</span>}
                    </>
                  ),
                },
                {
                  id: "first",
                  head: "First offset",
                  className: "number",
                  sort: (p) => p.begin,
                  cell: (p) => count(p.begin),
                },
                { id: "end", head: "End offset", className: "number", sort: (p) => p.end, cell: (p) => count(p.end) },
                {
                  id: "records",
                  head: "Records",
                  className: "number",
                  sort: (p) => p.records,
                  cell: (p) => count(p.records),
                },
                { id: "size", head: "Size", className: "number", sort: (p) => p.size, cell: (p) => bytes(p.size) },
              ]}
            />
          </>
        )}
      </Answer>
    </section>
  );
}

const SOURCES = { topic: "set for this topic", broker: "set for the brokers", default: "default" };

function Configuration({ place, name }: Place) {
  const config = useTopicConfig(place, name);
  const [all, setAll] = useState(false);
  const shown = (found: TopicConfig) => found.configs.filter((c) => all || c.source !== "default");
  return (
    <section className="panel flush" aria-labelledby="config">
      <div className="spread panel-head">
        <h2 id="config">Configuration</h2>
        <Segments
          label="Which settings"
          value={all ? "all" : "set"}
          options={[
            { value: "set", text: "Set" },
            { value: "all", text: "With defaults" },
          ]}
          onChange={(value) => setAll(value === "all")}
        />
      </div>
      <Answer of={config}>
        {(found) =>
          found.message ? (
            <Notice tone="warn">{found.message}</Notice>
          ) : shown(found).length === 0 ? (
            <p className="muted panel-note">Every setting has its default.</p>
          ) : (
            <DataTable
              table="configuration"
              label="Configuration"
              rows={shown(found)}
              rowKey={(c) => c.name}
              columns={[
                { id: "setting", head: "Setting", className: "mono", sort: (c) => c.name, cell: (c) => c.name },
                {
                  id: "value",
                  head: "Value",
                  className: "mono anywhere",
                  cell: (c) => (
                    <>
                      {c.sensitive ? "hidden" : c.value || "–"}
                      {c.name.endsWith(".ms") && c.value && <span className="muted"> {duration(Number(c.value))}</span>}
                    </>
                  ),
                },
                {
                  id: "source",
                  head: "Source",
                  sort: (c) => c.source,
                  cell: (c) => <span className={c.source === "default" ? "muted" : ""}>{SOURCES[c.source]}</span>,
                },
              ]}
            />
          )
        }
      </Answer>
    </section>
  );
}

function Acls({ place, name, may }: Place & { may: boolean }) {
  const acls = useTopicAcls(place, name, may);
  return (
    <section className="panel flush" aria-labelledby="acls">
      <h2 id="acls" className="panel-head">
        ACLs
      </h2>
      {!may ? (
        <p className="muted panel-note">
          The brokers' rules are for the owners of this dataset, and for who has the permission “report:read”.
        </p>
      ) : (
        <Answer of={acls}>
          {(found) =>
            found.entries.length === 0 ? (
              <p className="muted panel-note">{found.message}</p>
            ) : (
              <DataTable
                table="acls"
                label="ACLs"
                rows={found.entries}
                rowKey={(a) => JSON.stringify(a)}
                columns={[
                  {
                    id: "principal",
                    head: "Principal",
                    className: "mono anywhere",
                    sort: (a) => a.principal,
                    cell: (a) => a.principal,
                  },
                  {
                    id: "may",
                    head: "May",
                    sort: (a) => a.permission,
                    cell: (a) => (
                      <span className={`badge ${a.permission === "deny" ? "bad" : "ok"}`}>{a.permission}</span>
                    ),
                  },
                  { id: "operation", head: "Operation", sort: (a) => a.operation, cell: (a) => a.operation },
                  { id: "host", head: "From host", className: "mono", sort: (a) => a.host, cell: (a) => a.host },
                  {
                    id: "on",
                    head: "On",
                    className: "mono anywhere",
                    sort: (a) => a.resource,
                    cell: (a) => (
                      <>
                        {a.resource}
                        {a.pattern === "prefixed" && <span className="muted"> prefix</span>}
                      </>
                    ),
                  },
                ]}
              />
            )
          }
        </Answer>
      )}
    </section>
  );
}
