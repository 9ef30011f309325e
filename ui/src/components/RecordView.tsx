// One row opened: every column, structures as a tree that folds, and a filter over names and values.
import { Filter } from "lucide-react";
import { useState } from "react";
import { CopyButton } from "@/components/CopyButton";
import { JsonTree } from "@/components/JsonTree";
import { Modal } from "@/components/Modal";
import { columnIds } from "@/lib/tableSettings";

export function RecordView({ columns, row, onClose }: { columns: string[]; row: unknown[]; onClose: () => void }) {
  const [text, setText] = useState("");
  const record = Object.fromEntries(columnIds(columns).map((name, i) => [name, row[i]]));
  return (
    <Modal open onClose={onClose} title="One row">
      <div className="row" style={{ marginBottom: 10 }}>
        <div className="find grow">
          <Filter size={15} aria-hidden />
          <input
            className="input"
            aria-label="Filter names and values"
            placeholder="Filter names and values"
            value={text}
            onChange={(e) => setText(e.target.value)}
          />
        </div>
        <CopyButton text={JSON.stringify(record, null, 2)} what="row as JSON" />
      </div>
      <JsonTree value={record} filter={text.trim().toLowerCase()} />
    </Modal>
  );
}
