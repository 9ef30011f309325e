// Subjects of the schema registry that belong to the topic: versions, and what changed between two.
import { useState } from "react";
import { useSubjectDiff, useSubjects } from "@/api/topics";
import type { Subjects } from "@/api/types";
import { Answer } from "@/components/Answer";
import { Notice } from "@/components/Notice";

type Subject = Subjects["subjects"][number];

export function SubjectsPanel({ place, name }: { place: string; name: string }) {
  const subjects = useSubjects(place, name);
  return (
    <section className="panel" aria-labelledby="subjects">
      <h2 id="subjects">Registry subjects</h2>
      <Answer of={subjects}>
        {(found) => (
          <div className="stack-s">
            {found.problems.map((problem) => (
              <Notice key={problem} tone="warn">
                {problem}
              </Notice>
            ))}
            {!found.registry && <p className="muted">The cluster names no schema registry.</p>}
            {found.registry && found.subjects.length === 0 && found.problems.length === 0 && (
              <p className="muted">The registry has no subject of this topic.</p>
            )}
            {found.subjects.map((subject) => (
              <OneSubject key={subject.subject} place={place} name={name} subject={subject} />
            ))}
          </div>
        )}
      </Answer>
    </section>
  );
}

function OneSubject({ place, name, subject }: { place: string; name: string; subject: Subject }) {
  const versions = subject.versions.map((v) => v.version);
  const [version, setVersion] = useState(versions[0] ?? 1);
  const [before, setBefore] = useState<number | null>(versions[1] ?? null);
  const chosen = subject.versions.find((v) => v.version === version);
  return (
    <details>
      <summary>
        <span className="strong anywhere">{subject.subject}</span>{" "}
        <span className="muted">
          {chosen?.type}, version {versions[0]} of {versions.length}, id {subject.versions[0]?.id}
        </span>
      </summary>
      <div className="row" style={{ margin: "8px 0" }}>
        <label>
          Version{" "}
          <select className="select" value={version} onChange={(e) => setVersion(Number(e.target.value))}>
            {versions.map((v) => (
              <option key={v}>{v}</option>
            ))}
          </select>
        </label>
        <label>
          compared with{" "}
          <select
            className="select"
            value={before ?? ""}
            onChange={(e) => setBefore(e.target.value ? Number(e.target.value) : null)}
          >
            <option value="">nothing</option>
            {versions
              .filter((v) => v !== version)
              .map((v) => (
                <option key={v}>{v}</option>
              ))}
          </select>
        </label>
      </div>
      <Lines place={place} name={name} subject={subject.subject} version={version} before={before} />
    </details>
  );
}

const MARK = { same: " ", added: "+", removed: "-" };

function Lines(asked: { place: string; name: string; subject: string; version: number; before: number | null }) {
  const diff = useSubjectDiff(asked.place, asked.name, asked.subject, asked.version, asked.before);
  return (
    <Answer of={diff}>
      {(found) => (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        <pre className="schema-lines" tabIndex={0}>
          {found.lines.map((line, i) => (
            <span key={i} className={`line-${line.change}`}>
              {MARK[line.change]} {line.text}
              {"\n"}
            </span>
          ))}
        </pre>
      )}
    </Answer>
  );
}
