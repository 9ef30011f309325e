// What the Kafka consumer of a request may read by now, and what connects a client as it.
import { useState } from "react";
import { useConsumerRight } from "@/api/rights";
import type { AccessRequest } from "@/api/types";
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

export function ConsumerPart({ request }: { request: AccessRequest }) {
  const principal = request.consumer?.principal ?? "";
  const right = useConsumerRight(request.dataset, principal);
  const [client, setClient] = useState<Client>("python");
  return (
    <section className="panel stack-s">
      <h2>Consumer {principal}</h2>
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
    </section>
  );
}
