// The topic as its brokers and its registry describe it.
import { useState } from "react";
import { usePartitions, useRate, useTopicAcls, useTopicConfig } from "@/api/topics";
import type { DatasetDetails, TopicConfig } from "@/api/types";
import { Answer } from "@/components/Answer";
import { BarChart } from "@/components/BarChart";
import { Notice } from "@/components/Notice";
import { ScrollTable } from "@/components/ScrollTable";
import { Segments } from "@/components/Segments";
import { count, duration, plural } from "@/lib/format";
import { useChoice } from "@/lib/useChoice";
import { Sizes } from "@/pages/dataset/topic/Sizes";
import { SubjectsPanel } from "@/pages/dataset/topic/SubjectsPanel";
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
              {found.withheld && ". You see some rows only, so offsets and counts are withheld"}. Sizes in bytes are not
              shown: the Kafka client that Weir uses does not ask brokers for them.
            </p>
            <ScrollTable label="Partitions">
              <thead>
                <tr>
                  <th>Partition</th>
                  <th>Leader</th>
                  <th>Replicas</th>
                  <th>In sync</th>
                  <th className="number">First offset</th>
                  <th className="number">End offset</th>
                  <th className="number">Records</th>
                </tr>
              </thead>
              <tbody>
                {found.partitions.map((p) => (
                  <tr key={p.partition}>
                    <td>{p.partition}</td>
                    <td>{p.leader === null ? <span className="badge bad">none</span> : `broker ${p.leader}`}</td>
                    <td>{p.replicas.join(", ")}</td>
                    <td>
                      {p.inSync.join(", ")}{" "}
                      {p.inSync.length < p.replicas.length && <span className="badge warn">under-replicated</span>}
                    </td>
                    <td className="number">{count(p.begin)}</td>
                    <td className="number">{count(p.end)}</td>
                    <td className="number">{count(p.records)}</td>
                  </tr>
                ))}
              </tbody>
            </ScrollTable>
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
            <ScrollTable label="Configuration">
              <thead>
                <tr>
                  <th>Setting</th>
                  <th>Value</th>
                  <th>Source</th>
                </tr>
              </thead>
              <tbody>
                {shown(found).map((c) => (
                  <tr key={c.name}>
                    <td className="mono">{c.name}</td>
                    <td className="mono anywhere">
                      {c.sensitive ? "hidden" : c.value || "–"}
                      {c.name.endsWith(".ms") && c.value && <span className="muted"> {duration(Number(c.value))}</span>}
                    </td>
                    <td className={c.source === "default" ? "muted" : ""}>{SOURCES[c.source]}</td>
                  </tr>
                ))}
              </tbody>
            </ScrollTable>
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
              <ScrollTable label="ACLs">
                <thead>
                  <tr>
                    <th>Principal</th>
                    <th>May</th>
                    <th>Operation</th>
                    <th>From host</th>
                    <th>On</th>
                  </tr>
                </thead>
                <tbody>
                  {found.entries.map((a) => (
                    <tr key={JSON.stringify(a)}>
                      <td className="mono anywhere">{a.principal}</td>
                      <td>
                        <span className={`badge ${a.permission === "deny" ? "bad" : "ok"}`}>{a.permission}</span>
                      </td>
                      <td>{a.operation}</td>
                      <td className="mono">{a.host}</td>
                      <td className="mono anywhere">
                        {a.resource}
                        {a.pattern === "prefixed" && <span className="muted"> prefix</span>}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </ScrollTable>
            )
          }
        </Answer>
      )}
    </section>
  );
}
