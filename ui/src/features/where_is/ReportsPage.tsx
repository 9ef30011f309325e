// Where is …: every place of a field, a kind of personal data or a term; to read, to filter, to print.
import { useMutation } from "@tanstack/react-query";
import { FileSearch, FileText, Printer } from "lucide-react";
import { useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { useSearch } from "@/api/catalog";
import { useWhereIs, whereIsCsv } from "@/api/reports";
import { Answer } from "@/components/Answer";
import { AsOf } from "@/components/AsOf";
import { Empty } from "@/components/Empty";
import { PageNeeds } from "@/components/Needs";
import { ErrorNotice } from "@/components/Notice";
import { PageHead } from "@/components/PageHead";
import { Paper, usePaper } from "@/features/where_is/Paper";
import { WhereIsReport } from "@/features/where_is/WhereIsReport";
import { download } from "@/lib/download";
import { entityNamed, entityWords } from "@/lib/entityWords";
import { links } from "@/lib/links";

type Kind = "entity" | "field" | "term";

export default function ReportsPage() {
  return (
    <PageNeeds title="Data locations" permission="report:read" what="Reading data locations">
      <Reports />
    </PageNeeds>
  );
}

function Reports() {
  const [params] = useSearchParams();
  const asked = {
    entity: params.get("entity"),
    field: params.get("field"),
    term: params.get("term"),
    asOf: params.get("asOf"),
  };
  const subject = asked.entity ?? asked.field ?? asked.term;
  const shown = asked.entity === null ? subject : entityWords(asked.entity);
  const { report, access } = useWhereIs(asked);
  const paper = usePaper(asked, subject);
  const file = useMutation({
    mutationFn: () => whereIsCsv(asked),
    onSuccess: (text) => download(`where-is-${subject}.csv`, text, "text/csv"),
  });
  return (
    <div className="page">
      <PageHead
        title={shown ? `Data locations: ${shown}` : "Data locations"}
        lead="Every location: key, value, header, nested; where it goes next; who reads it; who may see it."
      >
        {report.data && (
          <span className="row no-print">
            <button type="button" className="button" disabled={file.isPending} onClick={() => file.mutate()}>
              CSV
            </button>
            <button type="button" className="button" disabled={paper.isPending} onClick={() => paper.mutate("open")}>
              <FileText size={15} aria-hidden /> Open the report
            </button>
            <button type="button" className="button" disabled={paper.isPending} onClick={() => paper.mutate("print")}>
              <Printer size={15} aria-hidden /> {paper.isPending ? "One moment …" : "Print"}
            </button>
          </span>
        )}
      </PageHead>
      <Ask
        key={JSON.stringify(asked)}
        kind={asked.field ? "field" : asked.term ? "term" : "entity"}
        text={subject ?? ""}
        asOf={asked.asOf}
      />
      {paper.isError && <ErrorNotice error={paper.error} />}
      {file.isError && <ErrorNotice error={file.error} />}
      {subject ? (
        <>
          <Paper html={paper.data?.html ?? null} />
          <div className={paper.data ? "no-print" : ""}>
            {access.isError && <ErrorNotice error={access.error} retry={() => void access.refetch()} />}
            <Answer of={report} lines={6}>
              {(found) => <WhereIsReport report={found} accessFailed={access.isError} />}
            </Answer>
          </div>
        </>
      ) : (
        <div className="panel">
          <Empty title="Choose a field, a kind of personal data or a term" icon={<FileSearch size={28} aria-hidden />}>
            <p>PII means every kind of personal data. A field may be a name (email) or a whole path.</p>
          </Empty>
        </div>
      )}
    </div>
  );
}

function Ask({ kind: initialKind, text: initialText, asOf: at }: { kind: Kind; text: string; asOf: string | null }) {
  const navigate = useNavigate();
  const [kind, setKind] = useState<Kind>(initialKind);
  const [text, setText] = useState(initialKind === "entity" ? entityWords(initialText) : initialText);
  const [asOf, setAsOf] = useState(at ?? "");
  const entities = useSearch({ q: "", kind: "field" }, 1).data?.facets.entity ?? [];
  return (
    <form
      className="row no-print"
      onSubmit={(event) => {
        event.preventDefault();
        const named =
          kind === "entity"
            ? entityNamed(
                text,
                entities.map((e) => e.value),
              )
            : text.trim();
        if (named) navigate(links.whereIs({ [kind]: named, asOf: asOf || null }));
      }}
    >
      <label htmlFor="kind" className="visually-hidden">
        What
      </label>
      <select id="kind" className="select" value={kind} onChange={(e) => setKind(e.target.value as Kind)}>
        <option value="entity">personal data</option>
        <option value="field">field</option>
        <option value="term">term</option>
      </select>
      <input
        className="input"
        style={{ width: 300 }}
        aria-label="Which"
        list="entities"
        placeholder={kind === "entity" ? "e-mail address" : kind === "field" ? "email" : "customer-email"}
        value={text}
        onChange={(e) => setText(e.target.value)}
      />
      {kind === "entity" && (
        <datalist id="entities">
          {entities.map((e) => (
            <option key={e.value} value={entityWords(e.value)}>
              {e.value}
            </option>
          ))}
        </datalist>
      )}
      <AsOf initial={at} onChange={setAsOf} />
      <button type="submit" className="button primary" disabled={!text.trim()}>
        Find
      </button>
    </form>
  );
}
