// Why a dataset is related to another, in words.
import type { RelatedReason } from "@/api/types";
import { entityWords } from "@/lib/entityWords";
import { plural } from "@/lib/format";
import { shortPath } from "@/lib/paths";

export function relatedText(reason: RelatedReason): string {
  switch (reason.kind) {
    case "shared_key": {
      const [own, other] = [shortPath(reason.field ?? ""), shortPath(reason.other ?? "")];
      const field = own === other ? own : `${own} as ${other}`;
      const tags = reason.tags?.length ? `, ${reason.tags.map(entityWords).join(", ")}` : "";
      return `shares ${field} (${reason.type}${tags})`;
    }
    case "read_together":
      return `read together in ${plural(reason.queries ?? 0, "query", "queries")}`;
    case "lineage": {
      const way = reason.direction === "upstream" ? "upstream" : "downstream";
      return reason.distance === 1 ? `one step ${way}` : `${reason.distance} steps ${way}`;
    }
  }
}
