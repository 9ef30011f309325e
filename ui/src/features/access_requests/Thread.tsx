import { useState } from "react";
import { useWrite } from "@/api/access";
import type { AccessRequest, RequestMessage } from "@/api/types";
import { ErrorNotice } from "@/components/Notice";
import { When } from "@/components/When";

const VERB: Record<RequestMessage["kind"], string> = {
  comment: "wrote",
  question: "asked",
  answer: "answered",
  escalation: "escalated",
};
const ENDED = ["approved", "denied", "cancelled", "expired"];

/** What people wrote to each other about a request, and escalations. */
export function Thread({ request: r, user }: { request: AccessRequest; user: string | undefined }) {
  const write = useWrite();
  const [text, setText] = useState("");
  const send = (question: boolean) =>
    write.mutate({ id: r.id, text: text.trim(), question }, { onSuccess: () => setText("") });
  const answers = r.state === "asked-back" && r.requester === user;
  const mayAsk = r.canDecide && r.state === "pending" && r.requester !== user;
  return (
    <section className="panel stack" aria-labelledby="thread">
      <h2 id="thread">Messages</h2>
      {answers && <p className="badge warn">An approver asked you something; the request waits for your answer.</p>}
      {r.thread.length === 0 && <p className="muted">Nothing was written yet.</p>}
      <ol className="stack-s">
        {r.thread.map((m) => (
          <li key={`${m.at} ${m.by} ${m.kind}`}>
            <span className="small muted">
              <strong>{m.by}</strong> {VERB[m.kind]} <When at={m.at} />
            </span>
            <p className="anywhere" style={{ whiteSpace: "pre-wrap" }}>
              {m.text}
              {m.people.length > 0 && <span className="muted"> ({m.people.join(", ")})</span>}
            </p>
          </li>
        ))}
      </ol>
      <form
        className="stack-s"
        onSubmit={(event) => {
          event.preventDefault();
          send(false);
        }}
      >
        <div className="field">
          <label htmlFor="message">{answers ? "Your answer" : "Message"}</label>
          <textarea
            id="message"
            className="textarea"
            maxLength={2000}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          {ENDED.includes(r.state) && (
            <span className="hint">The request is {r.state}; a message changes nothing.</span>
          )}
        </div>
        {write.isError && <ErrorNotice error={write.error} />}
        <div className="row">
          <button type="submit" className="button" disabled={write.isPending || text.trim() === ""}>
            {answers ? "Answer" : "Comment"}
          </button>
          {mayAsk && (
            <button
              type="button"
              className="button"
              disabled={write.isPending || text.trim() === ""}
              onClick={() => send(true)}
            >
              Ask back
            </button>
          )}
        </div>
      </form>
    </section>
  );
}
