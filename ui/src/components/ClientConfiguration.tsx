// What connects a client as a Kafka consumer whose request was approved.
import { useState } from "react";
import { useConsumerRight } from "@/api/rights";
import { Answer } from "@/components/Answer";
import { CopyButton } from "@/components/CopyButton";
import { Segments } from "@/components/Segments";

const CLIENTS = [
  { value: "python" as const, text: "Python" },
  { value: "java" as const, text: "Java" },
  { value: "spark" as const, text: "Spark" },
  { value: "quix" as const, text: "Quix Streams" },
];
type Client = (typeof CLIENTS)[number]["value"];

export function ClientConfiguration({ dataset, principal }: { dataset: string; principal: string }) {
  const right = useConsumerRight(dataset, principal);
  const [client, setClient] = useState<Client>("python");
  return (
    <Answer of={right} lines={3}>
      {(data) => (
        <>
          <p>{data.text}</p>
          {data.clients && (
            <>
              <div className="row">
                <Segments label="Client" options={CLIENTS} value={client} onChange={setClient} />
                <CopyButton text={data.clients[client]} what="configuration" />
              </div>
              <pre className="small">{data.clients[client]}</pre>
              <p className="small muted">
                The password comes from the environment. Prove it:{" "}
                <span className="mono anywhere">
                  weir rights try {data.dataset} --for-consumer {data.principal.replace(/^User:/, "")} --config
                  client.properties
                </span>
              </p>
            </>
          )}
        </>
      )}
    </Answer>
  );
}
