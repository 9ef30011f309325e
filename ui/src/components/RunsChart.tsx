// Runs of a job as bars: a bar's height is how long it took, its colour and pattern how it ended.
import type { JobRun } from "@/api/types";
import { overTime, runTone, summary, tookText } from "@/lib/runs";
import "@/styles/topic.css";

const MOST = 60;
const HEIGHT = 64;
const LEAST = 2;

export function RunsChart({
  runs,
  chosen,
  onChoose,
}: {
  runs: readonly JobRun[];
  chosen: string | null;
  onChoose: (id: string | null) => void;
}) {
  const shown = overTime(runs, MOST);
  if (shown.length < 2) return null;
  const most = Math.max(1, ...shown.map(({ ms }) => ms));
  const { ended, failed, median } = summary(runs);
  const text = `${ended} ended, ${failed} of them failed; ${tookText(median)} in the middle, ${tookText(most)} at most`;
  return (
    <figure className="runs-chart">
      <figcaption className="small">
        <strong>Duration</strong>, oldest to newest: {text}.
      </figcaption>
      <ol aria-label="Runs over time">
        {shown.map(({ run, ms }) => {
          const label = `Run ${run.id.slice(0, 8)}: ${run.state.toLowerCase()}, ${tookText(ms)}`;
          return (
            <li key={run.id}>
              <button
                type="button"
                title={label}
                aria-label={label}
                aria-pressed={run.id === chosen}
                onClick={() => onChoose(run.id === chosen ? null : run.id)}
              >
                <i
                  className={runTone(run.state) || "plain"}
                  style={{ height: Math.max(LEAST, (ms / most) * HEIGHT) }}
                />
              </button>
            </li>
          );
        })}
      </ol>
    </figure>
  );
}
