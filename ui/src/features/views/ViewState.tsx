import { toneOf } from "@/lib/views";

export function ViewState({ state }: { state: string }) {
  return <span className={`badge ${toneOf(state)}`}>{state}</span>;
}
