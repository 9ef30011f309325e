// Rights at the brokers beside those of Weir: what is wrong, all rights, and who the principals are.
import { useSearchParams } from "react-router";
import { PageHead } from "@/components/PageHead";
import { Segments } from "@/components/Segments";
import { CopiesPart } from "@/features/rights/CopiesPart";
import { FindingsPart } from "@/features/rights/FindingsPart";
import { PlanPart } from "@/features/rights/PlanPart";
import { PrincipalsPart } from "@/features/rights/PrincipalsPart";
import { RightsPart } from "@/features/rights/RightsPart";

const PARTS = [
  { value: "findings" as const, text: "Findings" },
  { value: "rights" as const, text: "All rights" },
  { value: "principals" as const, text: "Principals" },
  { value: "plan" as const, text: "Plan" },
  { value: "copies" as const, text: "Masked copies" },
];
type Part = (typeof PARTS)[number]["value"];

export default function RightsPage() {
  const [params, setParams] = useSearchParams();
  const part = PARTS.find(({ value }) => value === params.get("show"))?.value ?? "findings";
  const set = (changed: Record<string, string>) => {
    const next = new URLSearchParams(params);
    next.delete("offset");
    for (const [name, value] of Object.entries(changed)) value ? next.set(name, value) : next.delete(name);
    setParams(next, { replace: true });
  };
  const filters = {
    dataset: params.get("dataset") ?? "",
    principal: params.get("principal") ?? "",
    user: params.get("user") ?? "",
    severity: params.get("severity") ?? "",
    offset: Number(params.get("offset")) || 0,
  };
  return (
    <div className="page">
      <PageHead
        title="Rights at brokers"
        lead="Who may do what with a topic at Kafka itself, beside what Weir grants and what is used."
      />
      <Segments label="What to show" options={PARTS} value={part} onChange={(show: Part) => set({ show })} />
      {part === "findings" && <FindingsPart filters={filters} set={set} />}
      {part === "rights" && <RightsPart filters={filters} set={set} />}
      {part === "plan" && <PlanPart cluster={params.get("cluster") ?? ""} offset={filters.offset} set={set} />}
      {part === "copies" && <CopiesPart />}
      {part === "principals" && <PrincipalsPart offset={filters.offset} set={set} />}
    </div>
  );
}
