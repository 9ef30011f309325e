// How I am notified, what I was notified of; for administrators what was not delivered.
import { useMe } from "@/api/access";
import { useNotices, useNotifyStatus, usePreference } from "@/api/notifications";
import { Answer } from "@/components/Answer";
import { DataTable } from "@/components/DataTable";
import { PageHead } from "@/components/PageHead";
import { When } from "@/components/When";
import { PreferenceForm } from "@/features/notifications/PreferenceForm";
import { StatusPanel } from "@/features/notifications/StatusPanel";
import { mayDo } from "@/lib/may";
import { useToken } from "@/lib/session";

export default function NotificationsPage() {
  const preference = usePreference();
  const manages = mayDo(useMe(useToken()).data, "manage");
  return (
    <div className="page">
      <PageHead
        title="Notifications"
        lead="Requests that are pending for you, decisions on yours, grants that end, and failures of what you own."
      />
      <Answer of={preference}>{(p) => <PreferenceForm key={`${p.chatHost} ${p.digest}`} of={p} />}</Answer>
      {manages && <Status />}
      <Notices />
    </div>
  );
}

function Status() {
  const status = useNotifyStatus(true);
  return <Answer of={status}>{(s) => <StatusPanel of={s} />}</Answer>;
}

function Notices() {
  const notices = useNotices();
  return (
    <Answer of={notices}>
      {(list) =>
        list.length === 0 ? (
          <p className="muted">You were not notified of anything yet.</p>
        ) : (
          <div className="panel flush">
            <DataTable
              table="notices"
              label="Recent notices"
              rows={list}
              rowKey={(n) => n.id}
              columns={[
                { id: "when", head: "When", className: "nowrap", cell: (n) => <When at={n.at} /> },
                { id: "notice", head: "Notice", className: "anywhere", cell: (n) => n.text },
                { id: "by", head: "By", cell: (n) => n.channel },
                {
                  id: "state",
                  head: "State",
                  cell: (n) => (
                    <>
                      <span className={`badge ${n.state === "sent" ? "ok" : n.state === "waiting" ? "accent" : "bad"}`}>
                        {n.state}
                      </span>
                      {n.problem && <div className="small muted">{n.problem}</div>}
                    </>
                  ),
                },
              ]}
            />
          </div>
        )
      }
    </Answer>
  );
}
