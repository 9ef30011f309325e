// Programs that sign in: accounts with their owners, and tokens with scopes and an end, made, rotated, revoked.
import { Pencil, Plus } from "lucide-react";
import { useState } from "react";
import { useDeclared } from "@/api/declared";
import { type MadeToken, type RotatedToken, type TokenEntry, useTokens } from "@/api/tokens";
import type { DeclaredDocument } from "@/api/types";
import { Answer } from "@/components/Answer";
import { DataTable } from "@/components/DataTable";
import { Empty } from "@/components/Empty";
import { PageNeeds } from "@/components/Needs";
import { When } from "@/components/When";
import { WordList } from "@/components/WordList";
import { AccountEditor } from "@/features/tokens/AccountEditor";
import { AccountTokens } from "@/features/tokens/AccountTokens";
import { MakeToken, RotateToken } from "@/features/tokens/TokenDialogs";
import { NewToken } from "@/features/tokens/TokenSecret";
import { plural } from "@/lib/format";
import { type Account, accounts } from "@/lib/serviceAccounts";

export function ServiceAccounts() {
  return (
    <PageNeeds permission="manage" what="Seeing and changing service accounts">
      <All />
    </PageNeeds>
  );
}

function All() {
  const declared = useDeclared("ServiceAccount");
  const tokens = useTokens();
  const [editing, setEditing] = useState<DeclaredDocument | "new" | null>(null);
  const [making, setMaking] = useState<string | null>(null);
  const [rotating, setRotating] = useState<TokenEntry | null>(null);
  const [made, setMade] = useState<MadeToken | RotatedToken | null>(null);
  return (
    <div className="stack">
      <div className="spread">
        <p className="muted">
          A program signs in as a service account, with tokens that are limited to what it needs and that expire.
        </p>
        <button type="button" className="button primary" onClick={() => setEditing("new")}>
          <Plus size={15} aria-hidden /> Add a service account
        </button>
      </div>
      {made && <NewToken of={made} onDone={() => setMade(null)} />}
      <Answer of={declared}>
        {(documents) => (
          <Answer of={tokens}>
            {(list) => {
              const found = accounts(documents, list);
              if (found.length === 0) {
                return (
                  <div className="panel">
                    <Empty title="No service accounts yet">
                      <p>Add one above with its owner and roles, then make a token for it.</p>
                    </Empty>
                  </div>
                );
              }
              return (
                <>
                  <AccountTable of={found} onToken={setMaking} onChange={setEditing} />
                  <AccountTokens of={found.flatMap((account) => account.tokens)} onRotate={setRotating} />
                </>
              );
            }}
          </Answer>
        )}
      </Answer>
      {editing && (
        <AccountEditor
          of={editing === "new" ? null : editing}
          onClose={() => setEditing(null)}
          onAdded={(name) => {
            setEditing(null);
            setMaking(name);
          }}
        />
      )}
      {making && (
        <MakeToken
          user={making}
          onClose={() => setMaking(null)}
          onMade={(token) => {
            setMade(token);
            setMaking(null);
          }}
        />
      )}
      {rotating && (
        <RotateToken
          of={rotating}
          onClose={() => setRotating(null)}
          onMade={(token) => {
            setMade(token);
            setRotating(null);
          }}
        />
      )}
    </div>
  );
}

function AccountTable({
  of,
  onToken,
  onChange,
}: {
  of: Account[];
  onToken: (name: string) => void;
  onChange: (document: DeclaredDocument) => void;
}) {
  return (
    <div className="panel flush">
      <DataTable
        table="service-accounts"
        label="Service accounts"
        rows={of}
        rowKey={(account) => account.name}
        columns={[
          { id: "account", head: "Account", sort: ({ name }) => name, cell: (account) => <Name of={account} /> },
          {
            id: "owner",
            head: "Owner",
            sort: ({ spec }) => spec.owner,
            cell: ({ spec }) => spec.owner || <span className="muted">nobody</span>,
          },
          {
            id: "roles",
            head: "Roles",
            sort: ({ spec }) => spec.roles?.join(),
            cell: ({ spec }) => <WordList of={spec.roles} />,
          },
          {
            id: "groups",
            head: "Groups",
            sort: ({ spec }) => spec.groups?.join(),
            cell: ({ spec }) => <WordList of={spec.groups} />,
          },
          {
            id: "tokens",
            head: "Valid tokens",
            sort: ({ valid }) => valid,
            cell: ({ valid }) => plural(valid, "token"),
          },
          {
            id: "used",
            head: "Last used",
            sort: ({ lastUsed }) => lastUsed,
            cell: ({ lastUsed }) => <When at={lastUsed} />,
          },
          {
            id: "change",
            head: "Change",
            tool: true,
            className: "right nowrap",
            cell: ({ name, document, spec }) => (
              <>
                {!spec.disabled && (
                  <button type="button" className="button quiet small" onClick={() => onToken(name)}>
                    <Plus size={13} aria-hidden /> Token
                    <span className="visually-hidden"> for {name}</span>
                  </button>
                )}
                <button type="button" className="button quiet small" onClick={() => onChange(document)}>
                  <Pencil size={13} aria-hidden /> Change
                  <span className="visually-hidden"> {name}</span>
                </button>
              </>
            ),
          },
        ]}
      />
    </div>
  );
}

function Name({ of: { name, spec } }: { of: Account }) {
  return (
    <>
      <strong>{name}</strong> {spec.disabled && <span className="badge bad">disabled</span>}
      {spec.description && <div className="muted small">{spec.description}</div>}
    </>
  );
}
