// One record opened: tree, raw, headers; a large one is loaded whole, and raw text is drawn a piece at a time.
import { useQuery } from "@tanstack/react-query";
import { ChevronLeft, ChevronRight, Filter } from "lucide-react";
import { useState } from "react";
import { fetchRecords, type RecordsAsked } from "@/api/records";
import type { BrowsedRecord, Records } from "@/api/types";
import { Loading } from "@/components/Loading";
import { Modal } from "@/components/Modal";
import { ErrorNotice } from "@/components/Notice";
import { ScrollTable } from "@/components/ScrollTable";
import { Segments } from "@/components/Segments";
import { CopyRecord } from "@/features/records/CopyRecord";
import { type AddFilter, RecordTree } from "@/features/records/RecordTree";
import { bytes, cellText, count } from "@/lib/format";
import { recordText } from "@/lib/recordText";
import { exactLocalTime } from "@/lib/times";

const PIECE = 100_000;

export function placeText(record: BrowsedRecord): string {
  return record.offset == null ? "Record" : `Partition ${record.partition}, offset ${count(record.offset)}`;
}

export function RecordDialog({
  place,
  name,
  page,
  record,
  step,
  onClose,
  addFilter,
}: {
  place: string;
  name: string;
  page: Records;
  record: BrowsedRecord;
  step: { previous: (() => void) | null; next: (() => void) | null };
  onClose: () => void;
  addFilter: AddFilter;
}) {
  const [view, setView] = useState<"tree" | "raw" | "headers">("tree");
  const [text, setText] = useState("");
  const found = record.partition != null && record.offset != null;
  const wanted = found && (record.cut || (view === "raw" && page.rawReadable));
  const whole = useQuery({
    queryKey: ["record", place, name, record.partition, record.offset],
    enabled: wanted,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    queryFn: ({ signal }) => {
      const asked: RecordsAsked = {
        order: "oldest",
        partition: record.partition,
        offset: record.offset,
        time: null,
        cursor: null,
        text: "",
        in: null,
        key: null,
        field: [],
        limit: 1,
        whole: true,
      };
      return fetchRecords(place, name, asked, signal);
    },
  });
  const full = whole.data?.records.find((r) => r.offset === record.offset) ?? record;
  const size = page.rawReadable ? `${bytes(record.bytes)} value` : `${bytes(record.shownBytes)} as shown`;
  const headers = Object.entries(full.headers ?? {});
  return (
    <Modal
      open
      onClose={onClose}
      title={placeText(record)}
      lead={`${exactLocalTime(record.timestamp ?? "")} · ${size}`}
    >
      <div className="spread" style={{ marginBottom: 10 }}>
        <Segments
          label="View"
          value={view}
          options={[
            { value: "tree", text: "Tree" },
            { value: "raw", text: "Raw" },
            { value: "headers", text: `Headers (${headers.length})` },
          ]}
          onChange={setView}
        />
        <span className="row-nowrap">
          <button
            type="button"
            className="button quiet icon small"
            aria-label="Previous record"
            disabled={!step.previous}
            onClick={() => step.previous?.()}
          >
            <ChevronLeft size={15} aria-hidden />
          </button>
          <button
            type="button"
            className="button quiet icon small"
            aria-label="Next record"
            disabled={!step.next}
            onClick={() => step.next?.()}
          >
            <ChevronRight size={15} aria-hidden />
          </button>
          <CopyRecord place={place} name={name} record={full} />
        </span>
      </div>
      {wanted && whole.isPending && <Loading lines={3} label="Reading the whole record" />}
      {whole.isError && <ErrorNotice error={whole.error} retry={() => void whole.refetch()} />}
      {!found && record.cut && (
        <p className="muted small">
          Long parts are cut: where a row filter holds, one record cannot be asked for alone.
        </p>
      )}
      {view === "tree" && (
        <>
          <div className="find" style={{ marginBottom: 10 }}>
            <Filter size={15} aria-hidden />
            <input
              className="input"
              aria-label="Filter names and values"
              placeholder="Filter names and values"
              value={text}
              onChange={(e) => setText(e.target.value)}
            />
          </div>
          <RecordTree page={page} record={full} filter={text.trim().toLowerCase()} addFilter={addFilter} />
        </>
      )}
      {view === "raw" && (
        <>
          <p className="muted small">
            {page.rawReadable
              ? whole.data?.rawType === "binary"
                ? "The value as it was sent, in base64."
                : "The value as it was sent."
              : "As shown to you: values as they were sent are for those who may see every field unmasked."}
          </p>
          <RawText text={full.raw === undefined ? recordText(full, 2) : (full.raw ?? "(no value: a tombstone)")} />
        </>
      )}
      {view === "headers" &&
        (headers.length === 0 ? (
          <p className="muted">{page.headers ? "This record has no headers." : "You may not see headers."}</p>
        ) : (
          <ScrollTable label="Headers">
            <thead>
              <tr>
                <th>Header</th>
                <th>Value</th>
              </tr>
            </thead>
            <tbody>
              {headers.map(([header, value]) => (
                <tr key={header}>
                  <td className="mono anywhere">{header}</td>
                  <td className="mono anywhere">{cellText(value)}</td>
                </tr>
              ))}
            </tbody>
          </ScrollTable>
        ))}
    </Modal>
  );
}

/** Text of any length, of which a piece is drawn. */
function RawText({ text }: { text: string }) {
  const [shown, setShown] = useState(PIECE);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <pre className="record-raw" tabIndex={0}>
        {text.slice(0, shown)}
      </pre>
      {text.length > shown && (
        <button type="button" className="link" onClick={() => setShown(shown + 5 * PIECE)}>
          {count(text.length - shown)} more characters
        </button>
      )}
    </>
  );
}
