// Kinds of declared documents that have a form; the others are written as YAML.
import type { ComponentType } from "react";
import type { DeclaredDocument, KnownMask } from "@/api/types";
import { ContractEditor } from "@/features/contracts/ContractEditor";
import { PolicyEditor } from "@/features/policies/PolicyEditor";
import { RoleEditor } from "@/features/policies/RoleEditor";
import { PurposeEditor } from "@/features/purposes/PurposeEditor";
import { CopyEditor } from "@/features/views/CopyEditor";
import { contractFits } from "@/lib/contractForm";
import { copyFits } from "@/lib/copyForm";
import { formFits } from "@/lib/policyForm";
import { purposeFits } from "@/lib/purposeForm";
import { roleFits } from "@/lib/roleForm";

interface KindForm {
  /** The button that opens it empty. */
  add: string;
  /** Whether it shows a document whole. */
  fits: (document: DeclaredDocument, masks: readonly KnownMask[]) => boolean;
  Editor: ComponentType<{ known?: DeclaredDocument | undefined; onClose: () => void }>;
}

const FORMS = new Map<string, KindForm>([
  ["Policy", { add: "Add a policy", fits: formFits, Editor: PolicyEditor }],
  ["Role", { add: "Add a role", fits: roleFits, Editor: RoleEditor }],
  ["Contract", { add: "Add a contract", fits: contractFits, Editor: ContractEditor }],
  ["Purpose", { add: "Add a purpose", fits: purposeFits, Editor: PurposeEditor }],
  ["View", { add: "Make a masked copy", fits: copyFits, Editor: CopyEditor }],
]);

export const formOf = (kind: string): KindForm | undefined => FORMS.get(kind);
