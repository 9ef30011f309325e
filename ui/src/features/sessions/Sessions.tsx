// Where the signed-in person is signed in by a provider.
import { PageHead } from "@/components/PageHead";
import { SessionTable } from "@/components/SessionTable";

export default function SessionsPage() {
  return (
    <div className="page">
      <PageHead title="Sessions" />
      <p className="muted">Browsers and command lines in which you are signed in. An ended one is out at once.</p>
      <SessionTable all={false} />
    </div>
  );
}
