// Everybody's sessions, for those who manage.
import { PageNeeds } from "@/components/Needs";
import { SessionTable } from "@/components/SessionTable";

export function Sessions() {
  return (
    <PageNeeds permission="manage" what="Seeing and ending everybody's sessions">
      <SessionTable all />
    </PageNeeds>
  );
}
