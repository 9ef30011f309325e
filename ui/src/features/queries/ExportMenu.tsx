// Taking rows along: those that are shown, or the query run again into a file.
import { Download } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { useRef, useState } from "react";
import { type Asked, type ExportFormat, exportQuery } from "@/api/query";
import type { QueryAnswer } from "@/api/types";
import { ErrorNotice } from "@/components/Notice";
import { useCopy } from "@/lib/clipboard";
import { asCurl, asPython } from "@/lib/copyAs";
import { download, downloadBlob } from "@/lib/download";
import { csv, plural } from "@/lib/format";
import { columnIds } from "@/lib/tableSettings";

const COPY_ENDED = { copied: "Copied", failed: "The browser did not let the page copy." };

const FORMATS: { format: ExportFormat; text: string; ending: string }[] = [
  { format: "csv", text: "CSV", ending: "csv" },
  { format: "parquet", text: "Parquet", ending: "parquet" },
  { format: "arrow", text: "Arrow", ending: "arrow" },
];

export function ExportMenu({ answer, asked }: { answer: QueryAnswer; asked: Asked | undefined }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const stop = useRef<AbortController | null>(null);
  const [copied, copy] = useCopy();
  const names = answer.columns.map((c) => c.name);
  const again = async (format: ExportFormat, ending: string) => {
    if (!asked) return;
    setBusy(true);
    setError(null);
    stop.current = new AbortController();
    try {
      downloadBlob(`weir.${ending}`, await exportQuery({ ...asked, limit: 100_000 }, format, stop.current.signal));
    } catch (failure) {
      if (!stop.current.signal.aborted) setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      {busy ? (
        <button type="button" className="button small" onClick={() => stop.current?.abort()}>
          Writing the file … stop
        </button>
      ) : (
        <DropdownMenu.Root>
          <DropdownMenu.Trigger className="button small">
            <Download size={13} aria-hidden /> Export
          </DropdownMenu.Trigger>
          <DropdownMenu.Portal>
            <DropdownMenu.Content className="menu" align="end" sideOffset={6}>
              <div className="caption">{plural(answer.rows.length, "row")} as shown</div>
              <DropdownMenu.Item onSelect={() => download("weir.csv", csv(names, answer.rows), "text/csv")}>
                CSV
              </DropdownMenu.Item>
              <DropdownMenu.Item
                onSelect={() => {
                  const objects = answer.rows.map((row) =>
                    Object.fromEntries(columnIds(names).map((n, i) => [n, row[i]])),
                  );
                  download("weir.json", JSON.stringify(objects, null, 2), "application/json");
                }}
              >
                JSON
              </DropdownMenu.Item>
              {asked && (
                <>
                  <div className="caption">Copy the query</div>
                  <DropdownMenu.Item onSelect={() => void copy(asCurl(asked, window.location.origin))}>
                    Copy as curl
                  </DropdownMenu.Item>
                  <DropdownMenu.Item onSelect={() => void copy(asPython(asked, window.location.origin))}>
                    Copy as Python
                  </DropdownMenu.Item>
                </>
              )}
              <div className="caption">Run again, up to 100,000 rows</div>
              {FORMATS.map(({ format, text, ending }) => (
                <DropdownMenu.Item key={format} onSelect={() => void again(format, ending)}>
                  {text}
                </DropdownMenu.Item>
              ))}
            </DropdownMenu.Content>
          </DropdownMenu.Portal>
        </DropdownMenu.Root>
      )}
      <span className="muted small" role="status">
        {copied && COPY_ENDED[copied]}
      </span>
      {Boolean(error) && <ErrorNotice error={error} />}
    </>
  );
}
