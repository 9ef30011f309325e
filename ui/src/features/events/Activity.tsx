// What happened lately, over everything: scans, schemas, personal data, access.
import { Activity } from "lucide-react";
import { useSearchParams } from "react-router";
import { useEvents } from "@/api/events";
import { Empty } from "@/components/Empty";
import { EventList } from "@/components/EventList";
import { Loading } from "@/components/Loading";
import { NextPage } from "@/components/NextPage";
import { ErrorNotice } from "@/components/Notice";
import { PageHead } from "@/components/PageHead";
import { Segments } from "@/components/Segments";

const KINDS: { value: string; text: string; types: string[] }[] = [
  { value: "all", text: "everything", types: [] },
  { value: "schemas", text: "schemas", types: ["schema.*", "dataset.*"] },
  { value: "personal", text: "personal data", types: ["classification.*"] },
  { value: "scans", text: "scans", types: ["scan.*"] },
  { value: "access", text: "access", types: ["access.*", "request.*", "grant.*", "query.*", "mask.*"] },
];

export default function ActivityPage() {
  const [params, setParams] = useSearchParams();
  const kind = KINDS.find((k) => k.value === params.get("kind")) ?? KINDS[0];
  const about = params.get("about") ?? "";
  const set = (name: string, value: string) => {
    const next = new URLSearchParams(params);
    value ? next.set(name, value) : next.delete(name);
    setParams(next, { replace: true });
  };
  // A word means every subject that holds it.
  const subject = about && !/[*/]/.test(about) ? `*${about}*` : about || null;
  const events = useEvents({ types: kind?.types ?? [], subject });
  return (
    <div className="page">
      <PageHead
        title="Activity"
        lead="What changed, newest first. Actions of people are listed for users who may read the audit."
      />
      <div className="row">
        <Segments
          label="What kind"
          value={kind?.value ?? "all"}
          onChange={(value) => set("kind", value === "all" ? "" : value)}
          options={KINDS.map(({ value, text }) => ({ value, text }))}
        />
        <input
          className="input"
          style={{ width: 240 }}
          aria-label="About what"
          placeholder="about: orders, prod/*"
          defaultValue={about}
          onKeyDown={(e) => e.key === "Enter" && set("about", e.currentTarget.value.trim())}
          onBlur={(e) => set("about", e.currentTarget.value.trim())}
        />
      </div>
      {events.isError && <ErrorNotice error={events.error} retry={() => void events.refetch()} />}
      {events.isPending && <Loading lines={8} />}
      {events.data && (
        <div className="panel flush">
          {events.data.length === 0 ? (
            <Empty title="Nothing happened yet" icon={<Activity size={28} aria-hidden />}>
              <p>
                {about || kind?.types.length
                  ? "No matches. Choose everything, or another word."
                  : "Scans, changed schemas and new detections of personal data appear here."}
              </p>
            </Empty>
          ) : (
            <EventList events={events.data} />
          )}
          <NextPage of={events} label="Older" className="pager" />
        </div>
      )}
    </div>
  );
}
