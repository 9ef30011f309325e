// The terms of an access review from a form: which rights, who decides, until when, and what becomes of no answer.
import { listFromText, object } from "@/lib/formParts";
import { peopleFromText } from "@/lib/policyForm";

export interface ReviewForm {
  name: string;
  /** `personal`: everything with personal data; `all`: every dataset; `named`: what is written below. */
  scope: "personal" | "all" | "named";
  datasets: string;
  people: string;
  grants: boolean;
  roles: boolean;
  owners: boolean;
  /** Whether the owners of each dataset decide. */
  ownersDecide: boolean;
  deciders: string;
  days: string;
  onNoAnswer: "revoke" | "keep";
}

export const NEW_REVIEW: ReviewForm = {
  name: "",
  scope: "personal",
  datasets: "",
  people: "",
  grants: true,
  roles: true,
  owners: false,
  ownersDecide: true,
  deciders: "",
  days: "14",
  onNoAnswer: "keep",
};

const MOST_DAYS = 366;

/** What the form lacks, in sentences; empty where it can be sent. */
export function reviewProblems(form: ReviewForm): string[] {
  const days = Number(form.days);
  return [
    ...(form.name.trim() === "" ? ["Give the review a name."] : []),
    ...(form.scope === "named" && listFromText(form.datasets).length + listFromText(form.people).length === 0
      ? ["Name datasets or people whose rights are reviewed."]
      : []),
    ...(form.grants || form.roles || form.owners ? [] : ["Choose what is reviewed: grants, roles or owners."]),
    ...(form.ownersDecide || peopleFromText(form.deciders) !== undefined ? [] : ["Name who decides."]),
    ...(Number.isInteger(days) && days >= 1 && days <= MOST_DAYS ? [] : [`Give 1 to ${MOST_DAYS} days.`]),
  ];
}

/** The spec as `kind: AccessReview` has it. */
export function reviewSpec(form: ReviewForm): Record<string, unknown> {
  const named = { datasets: listFromText(form.datasets), people: listFromText(form.people) };
  const scopes = {
    personal: { tags: ["PII"] },
    all: { datasets: ["*"] },
    named: Object.fromEntries(Object.entries(named).filter(([, names]) => names.length > 0)),
  };
  const deciders = object(peopleFromText(form.deciders));
  const items = (["grants", "roles", "owners"] as const).filter((item) => form[item]);
  return {
    scope: scopes[form.scope],
    items,
    reviewers: { ...(form.ownersDecide ? { owners: true } : {}), ...deciders },
    due: `${Number(form.days)}d`,
    // A review that lasts shorter than the usual reminder has none.
    remind: Number(form.days) > 3 ? ["3d"] : [],
    onNoAnswer: form.onNoAnswer,
  };
}
