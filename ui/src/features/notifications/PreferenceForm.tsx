import { useState } from "react";
import { useChoose, useTestNotice } from "@/api/notifications";
import type { NotifyPreference } from "@/api/types";
import { ErrorNotice, Notice } from "@/components/Notice";

const TOPICS: Record<string, string> = {
  requests: "Requests that are pending for your decision",
  outcomes: "Decisions and questions on your own requests, revoked grants",
  comments: "Messages in requests that concern you",
  expiry: "Grants of yours that end soon",
  escalations: "Requests that nobody decided",
  data: "Failed views and broken contracts of datasets that you own",
  campaigns: "Access reviews",
  other: "Everything else that names you",
};

/** Channels, topics, at once or as a digest; and a test of it. */
export function PreferenceForm({ of: p }: { of: NotifyPreference }) {
  const choose = useChoose();
  const test = useTestNotice();
  const [channels, setChannels] = useState(new Set(p.channels));
  const [off, setOff] = useState(new Set(p.off));
  const [digest, setDigest] = useState(p.digest);
  const [at, setAt] = useState(p.at);
  const [zone, setZone] = useState(p.changed ? p.zone : Intl.DateTimeFormat().resolvedOptions().timeZone);
  const [kind, setKind] = useState(p.chatKind ?? "slack");
  const [url, setUrl] = useState("");
  const switched = (set: Set<string>, name: string) => {
    const next = new Set(set);
    if (!next.delete(name)) next.add(name);
    return next;
  };
  const chat = channels.has("chat");
  return (
    <form
      className="panel stack"
      style={{ maxWidth: 760 }}
      aria-label="How you are notified"
      onSubmit={(event) => {
        event.preventDefault();
        const address = url.trim() === "" ? null : url.trim();
        choose.mutate(
          { channels: [...channels], off: [...off], digest, at, zone, chatKind: chat ? kind : null, chatUrl: address },
          { onSuccess: () => setUrl("") },
        );
      }}
    >
      {!p.mailAvailable && !p.chatAvailable && (
        <Notice>No mail server and no chat service are set up here, so nobody is notified.</Notice>
      )}
      {p.mailAvailable && !p.mailAddressKnown && channels.has("mail") && (
        <Notice>
          Your mail address is not known here. It comes from the directory, or an administrator declares it.
        </Notice>
      )}
      <fieldset className="stack-s">
        <legend>Channels</legend>
        <label className="row-nowrap">
          <input
            type="checkbox"
            checked={channels.has("mail")}
            onChange={() => setChannels(switched(channels, "mail"))}
          />
          <span>Mail{!p.mailAvailable && <span className="muted"> (not set up)</span>}</span>
        </label>
        {p.chatAvailable && (
          <label className="row-nowrap">
            <input type="checkbox" checked={chat} onChange={() => setChannels(switched(channels, "chat"))} />
            <span>
              Chat service{" "}
              {p.chatHost && (
                <span className="muted">
                  ({p.chatKind} at {p.chatHost})
                </span>
              )}
            </span>
          </label>
        )}
      </fieldset>
      {p.chatAvailable && chat && (
        <div className="row">
          <div className="field">
            <label htmlFor="chat-kind">Service</label>
            <select id="chat-kind" className="select" value={kind} onChange={(e) => setKind(e.target.value)}>
              <option value="slack">Slack</option>
              <option value="teams">Teams</option>
            </select>
          </div>
          <div className="field grow">
            <label htmlFor="chat-url">Address of your incoming webhook</label>
            <input
              id="chat-url"
              className="input"
              type="password"
              autoComplete="off"
              required={!p.chatHost}
              placeholder={p.chatHost ? "kept; write another to replace it" : "https://hooks.slack.com/services/…"}
              value={url}
              onChange={(e) => setUrl(e.target.value)}
            />
          </div>
        </div>
      )}
      <fieldset className="stack-s">
        <legend>Topics</legend>
        {p.topics.map((topic) => (
          <label key={topic} className="row-nowrap">
            <input type="checkbox" checked={!off.has(topic)} onChange={() => setOff(switched(off, topic))} />
            <span>{TOPICS[topic] ?? topic}</span>
          </label>
        ))}
      </fieldset>
      <div className="row">
        <div className="field">
          <label htmlFor="digest">When</label>
          <select id="digest" className="select" value={digest} onChange={(e) => setDigest(e.target.value)}>
            <option value="at-once">at once</option>
            <option value="hourly">collected, each hour</option>
            <option value="daily">collected, each day</option>
          </select>
        </div>
        {digest === "daily" && (
          <>
            <div className="field">
              <label htmlFor="at">At</label>
              <input
                id="at"
                className="input"
                type="time"
                required
                value={at}
                onChange={(e) => setAt(e.target.value)}
              />
            </div>
            <div className="field">
              <label htmlFor="zone">Time zone</label>
              <input id="zone" className="input" required value={zone} onChange={(e) => setZone(e.target.value)} />
            </div>
          </>
        )}
      </div>
      {choose.isError && <ErrorNotice error={choose.error} />}
      {choose.isSuccess && <p role="status">Saved.</p>}
      <div className="row">
        <button type="submit" className="button primary" disabled={choose.isPending}>
          Save
        </button>
        {p.mailAvailable && (
          <button type="button" className="button" disabled={test.isPending} onClick={() => test.mutate("mail")}>
            Send a test by mail
          </button>
        )}
        {p.chatHost && (
          <button type="button" className="button" disabled={test.isPending} onClick={() => test.mutate("chat")}>
            Send a test by chat
          </button>
        )}
      </div>
      {test.isError && <ErrorNotice error={test.error} />}
      {test.isSuccess && <p role="status">{test.data.sent ? "Sent." : `Not sent: ${test.data.problem}`}</p>}
    </form>
  );
}
