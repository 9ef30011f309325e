import { useState } from "react";
import { useNavigate } from "react-router";
import { useTemplateRequest, useTemplates } from "@/api/access";
import type { RequestTemplate } from "@/api/types";
import { ReasonDialog } from "@/components/ReasonDialog";
import { plural } from "@/lib/format";
import { links } from "@/lib/links";

/** Requests that are often made: one is chosen by its name. Nothing where none is declared. */
export function Templates() {
  const templates = useTemplates().data ?? [];
  const [chosen, setChosen] = useState<RequestTemplate | null>(null);
  const use = useTemplateRequest();
  const navigate = useNavigate();
  if (templates.length === 0) return null;
  return (
    <section className="panel stack-s" style={{ maxWidth: 760 }} aria-labelledby="templates">
      <h2 id="templates">Templates</h2>
      <ul className="stack-s">
        {templates.map((t) => (
          <li key={t.name} className="spread">
            <span>
              <strong>{t.name}</strong> <span className="muted">{t.description}</span>
              <br />
              <span className="small muted anywhere">
                {t.datasets.join(", ")}: {plural(t.fields.length, "field")}, for {t.purpose}, {t.duration}
              </span>
            </span>
            <button type="button" className="button small" onClick={() => setChosen(t)}>
              Use
            </button>
          </li>
        ))}
      </ul>
      {chosen && (
        <ReasonDialog
          title={`Request by template ${chosen.name}`}
          lead={
            chosen.reason ? `Without a reason of your own: “${chosen.reason}”` : "Each dataset is decided on its own."
          }
          action="Send request"
          busy={use.isPending}
          error={use.error}
          onClose={() => setChosen(null)}
          onDo={(reason) =>
            use.mutate(
              { name: chosen.name, reason, ticket: "" },
              { onSuccess: ({ requests: [first] }) => first && navigate(links.request(first.id)) },
            )
          }
        />
      )}
    </section>
  );
}
