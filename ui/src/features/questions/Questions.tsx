// Questions that people ask about a dataset, with their answers. Texts are shown as texts, never as markup.
import { Check, MessageCircleQuestion } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import { type QuestionChange, useChangeQuestions, useQuestions } from "@/api/questions";
import type { DatasetAnswer, DatasetDetails, DatasetQuestion } from "@/api/types";
import { Answer } from "@/components/Answer";
import { Empty } from "@/components/Empty";
import { ErrorNotice } from "@/components/Notice";
import { When } from "@/components/When";

const LONGEST = 10_000;

export function Questions({ dataset }: { dataset: DatasetDetails }) {
  const questions = useQuestions(dataset.namespace, dataset.name);
  return (
    <Answer of={questions} lines={4}>
      {(found) => (
        <div className="stack">
          <Ask dataset={dataset} notified={found.notified} />
          {found.questions.length === 0 && (
            <div className="panel">
              <Empty title="No question yet">What you ask here, others find answered.</Empty>
            </div>
          )}
          {found.questions.map((each) => (
            <Asked key={each.id} dataset={dataset} question={each} />
          ))}
        </div>
      )}
    </Answer>
  );
}

function Ask({ dataset, notified }: { dataset: DatasetDetails; notified: string[] }) {
  const change = useChangeQuestions(dataset.namespace, dataset.name);
  return (
    <section className="panel" aria-labelledby="ask-question">
      <h2 id="ask-question" className="row">
        <MessageCircleQuestion size={16} aria-hidden /> Ask
      </h2>
      <Write
        label="Your question"
        action="Ask"
        hint={
          notified.length > 0
            ? `${notified.join(", ")} will be notified. Everybody who may know the dataset reads it.`
            : "Nobody owns the dataset, so those who manage Weir are notified. Everybody who may know the dataset reads it."
        }
        change={change}
        of={(text) => ({ kind: "ask", text })}
      />
      {change.error && <ErrorNotice error={change.error} />}
    </section>
  );
}

function Asked({ dataset, question }: { dataset: DatasetDetails; question: DatasetQuestion }) {
  const change = useChangeQuestions(dataset.namespace, dataset.name);
  const [editing, setEditing] = useState(false);
  const id = question.id;
  const open = question.state === "open";
  return (
    <section className="panel stack-s question" aria-label={`Question of ${question.by}`}>
      <Head by={question.by} at={question.at} edited={question.editedAt}>
        <span className={open ? "badge warn" : "badge ok"}>{open ? "open" : "closed"}</span>
      </Head>
      {editing ? (
        <Write
          label="Your question"
          action="Save"
          start={question.text}
          change={change}
          of={(text) => ({ kind: "edit", id, text })}
          onDone={() => setEditing(false)}
        />
      ) : (
        <Words text={question.text} />
      )}
      {question.answers.map((each) => (
        <Answered key={each.id} dataset={dataset} question={question} answer={each} />
      ))}
      {change.error && !editing && <ErrorNotice error={change.error} />}
      {!editing && (
        <div className="row">
          {question.may.edit && <Small onClick={() => setEditing(true)}>Edit</Small>}
          {question.decide && (
            <Small
              disabled={change.isPending}
              onClick={() => change.mutate({ kind: "state", id, state: open ? "closed" : "open" })}
            >
              {open ? "Close" : "Open again"}
            </Small>
          )}
          {question.may.remove && (
            <Small disabled={change.isPending} onClick={() => change.mutate({ kind: "remove", id })}>
              Remove
            </Small>
          )}
        </div>
      )}
      {open && (
        <Write label="Your answer" action="Answer" change={change} of={(text) => ({ kind: "answer", id, text })} />
      )}
    </section>
  );
}

function Answered(props: { dataset: DatasetDetails; question: DatasetQuestion; answer: DatasetAnswer }) {
  const { dataset, question, answer } = props;
  const change = useChangeQuestions(dataset.namespace, dataset.name);
  const [editing, setEditing] = useState(false);
  const of = { id: question.id, answer: answer.id };
  return (
    <div className={answer.accepted ? "answer accepted stack-s" : "answer stack-s"}>
      <Head by={answer.by} at={answer.at} edited={answer.editedAt}>
        {answer.accepted && (
          <span className="badge ok">
            <Check size={13} aria-hidden /> accepted
          </span>
        )}
      </Head>
      {editing ? (
        <Write
          label="Your answer"
          action="Save"
          start={answer.text}
          change={change}
          of={(text) => ({ kind: "edit", ...of, text })}
          onDone={() => setEditing(false)}
        />
      ) : (
        <Words text={answer.text} />
      )}
      {change.error && !editing && <ErrorNotice error={change.error} />}
      {!editing && (
        <div className="row">
          {question.decide && !answer.accepted && (
            <Small disabled={change.isPending} onClick={() => change.mutate({ kind: "accept", ...of })}>
              Accept
            </Small>
          )}
          {answer.may.edit && <Small onClick={() => setEditing(true)}>Edit</Small>}
          {answer.may.remove && (
            <Small disabled={change.isPending} onClick={() => change.mutate({ kind: "remove", ...of })}>
              Remove
            </Small>
          )}
        </div>
      )}
    </div>
  );
}

function Head({ by, at, edited, children }: { by: string; at: string; edited: string | null; children: ReactNode }) {
  return (
    <div className="row small">
      <strong>{by}</strong>
      <span className="muted">
        <When at={at} />
        {edited && (
          <>
            , edited <When at={edited} />
          </>
        )}
      </span>
      {children}
    </div>
  );
}

function Words({ text }: { text: string }) {
  return text ? (
    <p className="anywhere written">{text}</p>
  ) : (
    <p className="muted">Left out: it names a dataset that you may not know of.</p>
  );
}

function Small(props: { onClick: () => void; disabled?: boolean; children: ReactNode }) {
  return <button type="button" className="button quiet small" {...props} />;
}

interface WriteProps {
  label: string;
  action: string;
  hint?: string;
  start?: string;
  change: ReturnType<typeof useChangeQuestions>;
  of: (text: string) => QuestionChange;
  onDone?: () => void;
}

function Write({ label, action, hint, start = "", change, of, onDone }: WriteProps) {
  const id = useId();
  const [text, setText] = useState(start);
  const long = text.length > LONGEST;
  return (
    <form
      className="stack-s"
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate(of(text), {
          onSuccess: () => {
            setText("");
            onDone?.();
          },
        });
      }}
    >
      <div className="field">
        <label htmlFor={id}>{label}</label>
        <textarea
          id={id}
          className="textarea"
          rows={2}
          value={text}
          aria-invalid={long}
          onChange={(event) => setText(event.target.value)}
        />
        {(long || hint) && (
          <span className={long ? "hint bad-text" : "hint"}>
            {long ? `${text.length} characters; at most ${LONGEST}.` : hint}
          </span>
        )}
      </div>
      {change.error && onDone && <ErrorNotice error={change.error} />}
      <div className="row">
        <button type="submit" className="button small" disabled={change.isPending || long || text.trim() === ""}>
          {action}
        </button>
        {onDone && <Small onClick={onDone}>Cancel</Small>}
      </div>
    </form>
  );
}
