// Who would see more and who less: the answer of a simulation.
import { useState } from "react";
import { Link } from "react-router";
import type { SeenChange, Simulated } from "@/api/declared";
import { Notice } from "@/components/Notice";
import { reasonList } from "@/components/Reasons";
import { Segments } from "@/components/Segments";
import { count, plural } from "@/lib/format";
import { referenceLink } from "@/lib/links";
import { sentence } from "@/lib/subject";

const MOST = 200;
const TONES = { gain: "warn", loss: "mask", other: "" } as const;
const WORDS = { gain: "sees more", loss: "sees less", other: "sees otherwise" } as const;
type Kind = keyof typeof TONES;

export function Simulation({ of }: { of: Simulated }) {
  const [shown, setShown] = useState<Kind | "all">("all");
  if (of.total === 0) {
    return (
      <Notice tone="ok">
        Nobody would see anything more or less{of.users ? `: ${plural(of.users, "person", "people")} asked for` : ""}.
      </Notice>
    );
  }
  const fits = of.changes.filter((c) => shown === "all" || (c.change ?? "other") === shown);
  return (
    <section className="stack-s" aria-label="Who would see what">
      <div className="spread">
        <h3>Changes in who sees what</h3>
        <Segments
          label="Which"
          value={shown}
          onChange={setShown}
          options={[
            { value: "all", text: `all ${count(of.total)}` },
            { value: "gain", text: `more ${count(of.gains)}` },
            { value: "loss", text: `less ${count(of.losses)}` },
          ]}
        />
      </div>
      {of.note && <p className="muted small">{of.note}</p>}
      <div className="table-wrap simulation">
        <table className="table">
          <thead>
            <tr>
              <th>Who</th>
              <th>Where</th>
              <th>Before</th>
              <th>After</th>
            </tr>
          </thead>
          <tbody>
            {fits.slice(0, MOST).map((change, i) => (
              <Row key={i} change={change} />
            ))}
          </tbody>
        </table>
      </div>
      {(of.truncated || fits.length > MOST) && (
        <p className="muted small">
          The first {Math.min(MOST, fits.length)} of {count(of.total)} are shown.
        </p>
      )}
    </section>
  );
}

function Row({ change }: { change: SeenChange }) {
  const kind = change.change ?? "other";
  return (
    <tr>
      <td>
        <strong>{change.user}</strong>
        <div>
          <span className={`badge ${TONES[kind]}`}>{WORDS[kind]}</span>
        </div>
      </td>
      <td>
        <Link to={referenceLink(change.dataset)}>{change.dataset}</Link>
        <div className="mono small anywhere">{change.path ?? "which rows"}</div>
        {change.purpose && <div className="small muted">for {change.purpose}</div>}
      </td>
      <td>{sentence(change.before) || "nothing"}</td>
      <td title={reasonList(change.reasons).join("\n")}>{sentence(change.after) || "nothing"}</td>
    </tr>
  );
}
