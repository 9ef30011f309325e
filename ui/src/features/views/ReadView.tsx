import { useState } from "react";
import { CopyButton } from "@/components/CopyButton";
import { Segments } from "@/components/Segments";
import { viewAs } from "@/lib/copyAs";

const WAYS = [
  { value: "curl" as const, text: "curl" },
  { value: "python" as const, text: "Python" },
  { value: "follow" as const, text: "Follow by curl" },
];

/** What reads the rows of a view from outside, to copy. The token comes from the environment. */
export function ReadView({ name }: { name: string }) {
  const [way, setWay] = useState<(typeof WAYS)[number]["value"]>("curl");
  const text = viewAs(name, window.location.origin)[way];
  return (
    <section className="panel stack-s" aria-labelledby="read-it">
      <div className="spread">
        <h2 id="read-it">Read it</h2>
        <span className="row">
          <Segments label="By" options={WAYS} value={way} onChange={setWay} />
          <CopyButton text={text} what="command" />
        </span>
      </div>
      <pre className="small">{text}</pre>
    </section>
  );
}
