// Masked copies that Weir made for consumers: of which topic, who needs each, and when those go that nobody needs.
import { useState } from "react";
import { Link } from "react-router";
import { useRightsCopies } from "@/api/rights";
import type { RightsCopy } from "@/api/types";
import { Answer } from "@/components/Answer";
import { ClientConfiguration } from "@/components/ClientConfiguration";
import { DataTable } from "@/components/DataTable";
import { Empty } from "@/components/Empty";
import { Modal } from "@/components/Modal";
import { When } from "@/components/When";
import { referenceLink } from "@/lib/links";

export function CopiesPart() {
  const copies = useRightsCopies();
  const [shown, setShown] = useState<{ dataset: string; principal: string } | null>(null);
  return (
    <Answer of={copies} lines={6}>
      {(data) =>
        data.copies.length === 0 ? (
          <div className="panel">
            <Empty title="No masked copies">
              <p>A request for a Kafka consumer that is approved masked makes one.</p>
            </Empty>
          </div>
        ) : (
          <div className="panel flush">
            <DataTable
              table="masked copies"
              label="Masked copies"
              rows={data.copies}
              rowKey={(row) => row.view}
              columns={[
                ...COLUMNS,
                {
                  id: "connect",
                  head: "Connect",
                  tool: true,
                  cell: ({ dataset, readers }) =>
                    readers.map((principal) => (
                      <button
                        key={principal}
                        type="button"
                        className="button small"
                        aria-label={`Configuration of ${principal}`}
                        onClick={() => setShown({ dataset, principal })}
                      >
                        Configuration{readers.length > 1 && ` of ${principal}`}
                      </button>
                    )),
                },
              ]}
            />
            {shown && (
              <Modal
                open
                onClose={() => setShown(null)}
                title={`Read the copy of ${shown.dataset} as ${shown.principal}`}
              >
                <ClientConfiguration {...shown} />
              </Modal>
            )}
          </div>
        )
      }
    </Answer>
  );
}

const COLUMNS = [
  {
    id: "dataset",
    head: "Copy of",
    sort: (row: RightsCopy) => row.dataset,
    cell: (row: RightsCopy) => <Link to={referenceLink(row.dataset)}>{row.dataset}</Link>,
  },
  {
    id: "topic",
    head: "Topic",
    className: "mono small anywhere",
    sort: (row: RightsCopy) => row.topic,
    cell: (row: RightsCopy) => row.topic,
  },
  {
    id: "state",
    head: "State",
    sort: (row: RightsCopy) => row.state,
    cell: (row: RightsCopy) => <span className={`badge ${row.state === "failed" ? "bad" : ""}`}>{row.state}</span>,
  },
  {
    id: "readers",
    head: "Needed by",
    className: "words anywhere",
    cell: (row: RightsCopy) =>
      row.removedAt ? (
        <>
          nobody; removed <When at={row.removedAt} />
        </>
      ) : (
        row.readers.join(", ")
      ),
  },
  { id: "text", head: "How far it is", className: "words anywhere", cell: (row: RightsCopy) => row.text },
];
