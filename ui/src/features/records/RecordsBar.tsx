// Where to begin, what to look for: everything is in the address.
import { Filter, X } from "lucide-react";
import { useState } from "react";
import type { Part, RecordsAsked } from "@/api/records";
import { plural } from "@/lib/format";
import { type From, fromOf } from "@/lib/recordsAddress";

export type Change = (change: Record<string, string | string[] | null>) => void;

const BEGIN: { value: From; text: string }[] = [
  { value: "newest", text: "Newest first" },
  { value: "oldest", text: "Oldest first" },
  { value: "offset", text: "From an offset" },
  { value: "time", text: "From a time" },
];

/** `2026-03-01T12:00` of the browser's zone, as its time field has it. */
function localTime(at: string): string {
  const moment = new Date(at);
  return new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

export function RecordsBar({
  asked,
  partitions,
  byTime,
  change,
}: {
  asked: RecordsAsked;
  partitions: { partition: number; start: number; end: number }[];
  byTime: boolean;
  change: Change;
}) {
  const [text, setText] = useState(asked.text);
  const [key, setKey] = useState(asked.key ?? "");
  const [from, setFrom] = useState<From>(fromOf(asked));
  const begin = (value: From) => {
    setFrom(value);
    if (value === "newest" || value === "oldest") {
      change({ order: value === "oldest" ? "oldest" : null, offset: null, time: null });
    }
  };
  return (
    <form
      className="records-bar"
      aria-label="Choose records"
      onSubmit={(event) => {
        event.preventDefault();
        change({ text: text.trim() || null, key: key.trim() || null });
      }}
    >
      <select className="select" aria-label="Begin" value={from} onChange={(e) => begin(e.target.value as From)}>
        {BEGIN.filter((b) => !byTime || b.value !== "offset").map((b) => (
          <option key={b.value} value={b.value}>
            {b.text}
          </option>
        ))}
      </select>
      {from === "offset" && (
        <input
          className="input records-place"
          aria-label="Offset"
          placeholder="Offset"
          inputMode="numeric"
          defaultValue={asked.offset ?? ""}
          onKeyDown={(e) => {
            if (e.key === "Enter") e.currentTarget.blur();
          }}
          onBlur={(e) => {
            const offset = e.target.value.trim();
            if (/^\d+$/.test(offset)) change({ offset, time: null, order: "oldest" });
          }}
        />
      )}
      {from === "time" && (
        <input
          className="input records-place"
          type="datetime-local"
          aria-label="Time"
          defaultValue={asked.time ? localTime(asked.time) : ""}
          onChange={(e) => {
            if (e.target.value) change({ time: new Date(e.target.value).toISOString(), offset: null, order: "oldest" });
          }}
        />
      )}
      {!byTime && (
        <select
          className="select"
          aria-label="Partition"
          value={asked.partition ?? ""}
          onChange={(e) => change({ partition: e.target.value || null })}
        >
          <option value="">{partitions.length > 0 ? `All ${plural(partitions.length, "partition")}` : "All"}</option>
          {partitions.map((p) => (
            <option key={p.partition} value={p.partition}>
              Partition {p.partition}
            </option>
          ))}
        </select>
      )}
      <div className="find records-find">
        <Filter size={15} aria-hidden />
        <input
          className="input"
          aria-label="Text to look for"
          placeholder="Text in key, value or header"
          value={text}
          onChange={(e) => setText(e.target.value)}
        />
      </div>
      <select
        className="select"
        aria-label="Where the text is"
        value={asked.in ?? ""}
        onChange={(e) => change({ in: (e.target.value as Part) || null })}
      >
        <option value="">anywhere</option>
        <option value="key">in the key</option>
        <option value="value">in the value</option>
        <option value="headers">in headers</option>
      </select>
      <input
        className="input records-place"
        aria-label="Key"
        placeholder="Key"
        value={key}
        onChange={(e) => setKey(e.target.value)}
      />
      <button type="submit" className="button">
        Search
      </button>
    </form>
  );
}

/** Filters in force, each with a way to remove it. */
export function RecordFilters({ asked, change }: { asked: RecordsAsked; change: Change }) {
  const chips: { text: string; remove: () => void }[] = asked.field.map((one) => ({
    text: one,
    remove: () => change({ field: asked.field.filter((other) => other !== one) }),
  }));
  if (chips.length === 0) return null;
  return (
    <ul className="row" aria-label="Filters">
      {chips.map((chip) => (
        <li key={chip.text} className="badge accent">
          <span className="mono anywhere">{chip.text.length > 60 ? `${chip.text.slice(0, 60)}…` : chip.text}</span>
          <button type="button" className="link" aria-label={`Remove the filter ${chip.text}`} onClick={chip.remove}>
            <X size={12} aria-hidden />
          </button>
        </li>
      ))}
      <li>
        <button type="button" className="link small" onClick={() => change({ field: null })}>
          Clear filters
        </button>
      </li>
    </ul>
  );
}
