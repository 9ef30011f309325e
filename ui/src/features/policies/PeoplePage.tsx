// Roles and people: what a role gives, who holds it, and which users, groups and service accounts are declared.
import { Link, useSearchParams } from "react-router";
import { useDeclared } from "@/api/declared";
import type { DeclaredDocument } from "@/api/types";
import { Answer } from "@/components/Answer";
import { Empty } from "@/components/Empty";
import { Tabs } from "@/components/Tabs";
import { DeclaredHead, DocumentTools, nameOf, OpenChange, Yaml } from "@/features/policies/ChangeParts";
import { type Change, useChange } from "@/features/policies/useChange";
import { plural } from "@/lib/format";
import { texts } from "@/lib/formParts";
import { links } from "@/lib/links";
import { holders } from "@/lib/policyTable";
import { inWords } from "@/lib/policyWords";

const KINDS = [
  { kind: "Role", text: "Roles", none: "No role is declared" },
  { kind: "User", text: "Users", none: "No user is declared" },
  { kind: "Group", text: "Groups", none: "No group is declared" },
  { kind: "ServiceAccount", text: "Service accounts", none: "No service account is declared" },
] as const;

export default function PeoplePage() {
  const [params] = useSearchParams();
  const chosen = KINDS.find(({ kind }) => kind === params.get("kind")) ?? KINDS[0];
  return <People key={chosen.kind} {...chosen} />;
}

function People({ kind, none }: (typeof KINDS)[number]) {
  const change = useChange(kind);
  return (
    <div className="page">
      <DeclaredHead
        title="Roles and people"
        lead="A role defines what its holders read and may do; users and groups hold roles."
        change={change}
      />
      <OpenChange of={change} kind={kind} />
      <Tabs label="Kinds" current={kind}>
        {KINDS.map((each) => (
          <Link key={each.kind} to={links.policies(each.kind)} aria-current={each.kind === kind ? "page" : undefined}>
            {each.text}
          </Link>
        ))}
      </Tabs>
      <Answer of={change.documents}>
        {(documents) =>
          documents.length === 0 ? (
            <div className="panel">
              <Empty title={none}>
                <p>
                  {change.form ? "Add one by form" : "Write one as YAML"} above, or:{" "}
                  <code>weir apply -f governance.yaml</code>
                </p>
              </Empty>
            </div>
          ) : (
            <List documents={documents} change={change} />
          )
        }
      </Answer>
    </div>
  );
}

function List({ documents, change }: { documents: DeclaredDocument[]; change: Change }) {
  const users = useDeclared("User").data ?? [];
  const groups = useDeclared("Group").data ?? [];
  return (
    <ul className="stack">
      {documents.map((document) => (
        <li key={nameOf(document)} className="panel">
          <div className="spread">
            <h2>
              {document.kind === "User" ? (
                <Link to={links.person(nameOf(document))}>{nameOf(document)}</Link>
              ) : (
                nameOf(document)
              )}
            </h2>
            <DocumentTools of={document} change={change} />
          </div>
          <p>{words(document)}</p>
          {document.kind === "Role" && <p className="muted small">{heldBy(nameOf(document), users, groups)}</p>}
          <Yaml of={document} />
        </li>
      ))}
    </ul>
  );
}

/** What a role gives, or what a person, group or account holds. */
export function words(document: DeclaredDocument): string {
  if (document.kind === "Role") return inWords(document);
  const { roles, groups, members, disabled } = document.spec as Record<string, unknown>;
  const parts = [
    texts(roles).length > 0 ? `${plural(texts(roles).length, "role")}: ${texts(roles).join(", ")}` : "no role",
    ...(texts(groups).length > 0 ? [`in ${texts(groups).join(", ")}`] : []),
    ...(texts(members).length > 0 ? [plural(texts(members).length, "member")] : []),
    ...(disabled === true ? ["disabled"] : []),
  ];
  return parts.join("; ");
}

export function heldBy(role: string, users: readonly DeclaredDocument[], groups: readonly DeclaredDocument[]): string {
  const found = holders(role, users, groups);
  if (found.users + found.groups === 0) return "No declared user or group holds it.";
  const parts = [
    ...(found.users > 0 ? [plural(found.users, "user")] : []),
    ...(found.groups > 0 ? [plural(found.groups, "group")] : []),
  ];
  return `Holders: ${parts.join(" and ")}.`;
}
