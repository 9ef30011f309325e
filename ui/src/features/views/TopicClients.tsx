// What connects a client to the topic that a view or a masked copy writes, to copy.
import { useState } from "react";
import { useViewClients } from "@/api/views";
import { Answer } from "@/components/Answer";
import { CopyButton } from "@/components/CopyButton";
import { Segments } from "@/components/Segments";
import { topicAsCurl } from "@/lib/copyAs";

const CLIENTS = [
  { value: "curl" as const, text: "curl" },
  { value: "python" as const, text: "Python" },
  { value: "console" as const, text: "Console consumer" },
  { value: "java" as const, text: "Java" },
];

export function TopicClients({ view }: { view: string }) {
  const clients = useViewClients(view);
  const [client, setClient] = useState<(typeof CLIENTS)[number]["value"]>("python");
  return (
    <section className="panel stack-s" aria-labelledby="read-topic">
      <h2 id="read-topic">Read its topic</h2>
      <Answer of={clients} lines={3}>
        {(given) => {
          const text =
            client === "curl"
              ? topicAsCurl({ place: given.cluster, name: given.topic }, window.location.origin)
              : given.clients[client];
          return (
            <>
              <div className="row">
                <Segments label="Client" options={CLIENTS} value={client} onChange={setClient} />
                <CopyButton text={text} what="configuration" />
              </div>
              <pre className="small">{text}</pre>
              <p className="small muted">
                {client === "curl" ? "Records come from Weir as you may see them. The token is yours." : given.text}
              </p>
            </>
          );
        }}
      </Answer>
    </section>
  );
}
