// The announcements of a dataset as fields of a form: those that are over or to come, too.

export interface Announced {
  text: string;
  from?: string;
  until?: string;
}

export function AnnouncementFields({ of, onChange }: { of: Announced[]; onChange: (of: Announced[]) => void }) {
  const change = (at: number, part: Partial<Announced>) =>
    onChange(of.map((each, i) => (i === at ? { ...each, ...part } : each)));
  return (
    <fieldset className="plain-set stack-s">
      <legend>Announcements</legend>
      {of.map((each, i) => (
        <div key={i} className="stack-s announcement">
          <div className="field">
            <label htmlFor={`announced-${i}`}>Sentence for its readers</label>
            <textarea
              id={`announced-${i}`}
              className="textarea"
              rows={2}
              maxLength={2000}
              required
              value={each.text}
              onChange={(event) => change(i, { text: event.target.value })}
            />
          </div>
          <div className="row">
            <Day id={`from-${i}`} label="From" value={each.from} onChange={(from) => change(i, { from })} />
            <Day id={`until-${i}`} label="Until" value={each.until} onChange={(until) => change(i, { until })} />
            <button
              type="button"
              className="button quiet small"
              onClick={() => onChange(of.filter((_, other) => other !== i))}
            >
              Remove<span className="visually-hidden"> announcement {i + 1}</span>
            </button>
          </div>
        </div>
      ))}
      <div className="row">
        <button
          type="button"
          className="button small"
          disabled={of.length >= 20}
          onClick={() => onChange([...of, { text: "" }])}
        >
          Add an announcement
        </button>
      </div>
    </fieldset>
  );
}

interface DayProps {
  id: string;
  label: string;
  value?: string;
  onChange: (value: string | undefined) => void;
}

/** A date; a time that was declared stays as it is until a date takes its place. */
function Day({ id, label, value, onChange }: DayProps) {
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className="input"
        type="date"
        value={value?.slice(0, 10) ?? ""}
        onChange={(event) => onChange(event.target.value || undefined)}
      />
      {value?.includes("T") && <span className="hint">{value}</span>}
    </div>
  );
}
