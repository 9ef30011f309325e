// Points of a result as a chart, drawn by Chart.js, which is loaded with this file only. The table beside it has the figures.
import {
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
} from "chart.js";
import { useEffect, useRef, useState } from "react";
import type { ChartAsked, Drawn } from "@/lib/resultChart";
import "@/styles/query.css";

Chart.register(
  BarController,
  BarElement,
  CategoryScale,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
);

/** Counts how often light and dark changed: a chart is drawn with the colours that hold. */
function useThemeTurns(): number {
  const [turns, setTurns] = useState(0);
  useEffect(() => {
    const turn = () => setTurns((n) => n + 1);
    const system = window.matchMedia("(prefers-color-scheme: dark)");
    const chosen = new MutationObserver(turn);
    system.addEventListener("change", turn);
    chosen.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    return () => {
      system.removeEventListener("change", turn);
      chosen.disconnect();
    };
  }, []);
  return turns;
}

export default function ResultChart({ of, asked }: { of: Drawn; asked: ChartAsked }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const turns = useThemeTurns();
  const y = asked.kind === "histogram" ? "rows" : (asked.y ?? "");
  // biome-ignore lint/correctness/useExhaustiveDependencies: another theme has other colours.
  useEffect(() => {
    if (!canvas.current) return;
    const style = getComputedStyle(canvas.current);
    const [accent, text, line] = [style.color, style.outlineColor, style.borderTopColor];
    const axis = (name: string) => ({
      title: { display: true, text: name, color: text },
      ticks: { color: text },
      grid: { color: line },
    });
    const chart = new Chart(canvas.current, {
      type: asked.kind === "line" ? "line" : "bar",
      data: {
        labels: of.labels,
        datasets: [
          {
            label: y,
            data: of.values,
            backgroundColor: accent,
            borderColor: accent,
            borderWidth: asked.kind === "line" ? 1.5 : 0,
            ...(asked.kind === "line" ? { pointRadius: of.values.length > 100 ? 0 : 2 } : {}),
            ...(asked.kind === "histogram" ? { barPercentage: 1, categoryPercentage: 0.98 } : {}),
          },
        ],
      },
      options: {
        animation: false,
        maintainAspectRatio: false,
        scales: { x: axis(asked.x), y: { ...axis(y), beginAtZero: asked.kind !== "line" } },
      },
    });
    return () => chart.destroy();
  }, [of, asked.kind, asked.x, y, turns]);
  const most = of.values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  return (
    <figure className="result-chart">
      <div>
        <canvas
          ref={canvas}
          role="img"
          aria-label={`${y} by ${asked.x}: ${of.values.length} points, ${most} at most. The table has the figures.`}
        />
      </div>
    </figure>
  );
}
