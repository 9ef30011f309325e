// An empty catalog: what to do first, step by step, for those who may; for others, who can.
import { Check, Circle } from "lucide-react";
import { Link } from "react-router";
import { useFound } from "@/api/classifications";
import { useDeclared } from "@/api/declared";
import { useClusters, useScans } from "@/api/scans";
import type { Dataset } from "@/api/types";
import { Needs } from "@/components/Needs";
import { firstSteps, type Step } from "@/lib/home";
import { links } from "@/lib/links";

const STEPS: Record<Step["name"], { title: string; text: string; action: string; to: string; deed: string }> = {
  connect: {
    title: "Connect a cluster",
    text: "Its address, TLS and sign-in; “Test connection” shows what is wrong before anything is stored.",
    action: "Add a cluster",
    to: links.addCluster,
    deed: "Adding a cluster",
  },
  scan: {
    title: "Scan its topics",
    text: "Weir reads a sample of each topic, learns its schema and finds personal data in it.",
    action: "Scan topics",
    to: links.admin("scans"),
    deed: "Scanning topics",
  },
  review: {
    title: "Review what was found",
    text: "Confirm or reject detections of personal data; masks and reports build on them.",
    action: "Review",
    to: links.review,
    deed: "Reviewing detections",
  },
  invite: {
    title: "Invite people",
    text: "Add users with roles, which are declared under Policies, or let them sign in with your identity provider. Managing Weir alone opens no records: that takes a role, too.",
    action: "Add a user",
    to: links.admin("users"),
    deed: "Adding users",
  },
};
const NEEDED = { connect: "manage", scan: "scan", review: "review", invite: "manage" } as const;

export default function FirstRun({ datasets, onHide }: { datasets: Dataset[]; onHide?: () => void }) {
  const clusters = useClusters();
  const scans = useScans();
  const users = useDeclared("User");
  const found = useFound({}, 1);
  const reviewed = found.data?.counts.state ?? {};
  const steps = firstSteps({
    clusters: clusters.data?.length ?? 0,
    scans: scans.data ?? [],
    datasets,
    reviewed: (reviewed.confirmed ?? 0) + (reviewed.rejected ?? 0),
    people: users.data?.length ?? 0,
  });
  const next = steps.find((step) => !step.done)?.name;
  return (
    <section className="panel stack" aria-labelledby="first-run">
      <div className="spread">
        <h2 id="first-run">First steps</h2>
        {onHide && (
          <button type="button" className="button quiet small" onClick={onHide}>
            Hide
          </button>
        )}
      </div>
      <ol className="stack first-run">
        {steps.map(({ name, done }) => {
          const { title, text, action, to, deed } = STEPS[name];
          const Mark = done ? Check : Circle;
          return (
            <li key={name} className="row-nowrap" aria-current={name === next ? "step" : undefined}>
              <Mark size={18} className={done ? "ok-text" : "muted"} aria-hidden />
              <div className="grow">
                <strong>{title}</strong> {done && <span className="badge ok">done</span>}
                <p className="muted small">{text}</p>
              </div>
              {!done && (
                <Needs permission={NEEDED[name]} what={deed}>
                  <Link className={`button ${name === next ? "primary" : ""}`} to={to}>
                    {action}
                  </Link>
                </Needs>
              )}
            </li>
          );
        })}
      </ol>
    </section>
  );
}
