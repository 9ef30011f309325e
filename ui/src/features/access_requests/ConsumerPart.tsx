// What the Kafka consumer of a request may read by now, and what connects a client as it.
import type { AccessRequest } from "@/api/types";
import { ClientConfiguration } from "@/components/ClientConfiguration";

export function ConsumerPart({ request }: { request: AccessRequest }) {
  const principal = request.consumer?.principal ?? "";
  return (
    <section className="panel stack-s">
      <h2>Consumer {principal}</h2>
      <ClientConfiguration dataset={request.dataset} principal={principal} />
    </section>
  );
}
