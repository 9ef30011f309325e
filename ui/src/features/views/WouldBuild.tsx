import { useViewDiff } from "@/api/views";
import { ErrorNotice } from "@/components/Notice";
import { DiffView } from "@/features/views/DiffView";

/** Whether a view can stream, its columns, and what would become of a view of that name that runs already. */
export function WouldBuild({ name, spec }: { name: string; spec: Record<string, unknown> }) {
  const diff = useViewDiff();
  return (
    <div className="stack-s">
      <div>
        <button type="button" className="button" disabled={diff.isPending} onClick={() => diff.mutate({ name, spec })}>
          What would be built
        </button>
      </div>
      {diff.isError && <ErrorNotice error={diff.error} />}
      {diff.data && <DiffView of={diff.data} />}
    </div>
  );
}
