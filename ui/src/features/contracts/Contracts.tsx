// What is promised of this dataset, by whom, and what the last scan saw of each promise.
import { useState } from "react";
import { useContracts, useContractsOf } from "@/api/contracts";
import type { Contract, ContractRule, DatasetDetails } from "@/api/types";
import { Answer } from "@/components/Answer";
import { Empty } from "@/components/Empty";
import { Notice } from "@/components/Notice";
import { When } from "@/components/When";
import { NewContract } from "@/features/contracts/ContractEditor";
import { count, duration } from "@/lib/format";

const TONES: Record<ContractRule["state"], string> = {
  holds: "badge ok",
  broken: "badge bad",
  undecided: "badge warn",
  waiting: "badge",
};
const ORDER: ContractRule["state"][] = ["broken", "undecided", "waiting", "holds"];

export function Contracts({ dataset }: { dataset: DatasetDetails }) {
  const listed = useContractsOf(dataset.reference);
  const [writing, setWriting] = useState(false);
  return (
    <div className="stack">
      {writing ? (
        <NewContract dataset={dataset.reference} onClose={() => setWriting(false)} />
      ) : (
        dataset.may.curate && (
          <div className="row">
            <button type="button" className="button" onClick={() => setWriting(true)}>
              Promise what was seen
            </button>
          </div>
        )
      )}
      <Answer of={listed}>
        {(contracts) =>
          contracts.length === 0 ? (
            <div className="panel">
              <Empty title="Nothing is promised of this dataset">
                <p>
                  A contract begins with what scans saw: take out what you do not want to promise, and apply it. As a
                  file: <code>weir contract init {dataset.reference}</code>.
                </p>
              </Empty>
            </div>
          ) : (
            <All names={contracts.map((each) => each.name)} reference={dataset.reference} />
          )
        }
      </Answer>
    </div>
  );
}

function All({ names, reference }: { names: string[]; reference: string }) {
  const contracts = useContracts(names);
  return contracts.map((each, i) => (
    <Answer key={names[i]} of={each}>
      {(contract) => <One contract={contract} reference={reference} />}
    </Answer>
  ));
}

function One({ contract, reference }: { contract: Contract; reference: string }) {
  const promise = contract.promises.find((each) => each.dataset === reference);
  const breaches = contract.breaches.filter((each) => each.dataset === promise?.dataset);
  const rules = [...(promise?.rules ?? [])].sort((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state));
  return (
    <section className="panel stack" aria-label={contract.title}>
      <h2>
        {contract.title} <span className={TONES[contract.state]}>{contract.state}</span>
      </h2>
      <p className="muted">
        Version {contract.version}, {contract.status}
        {contract.owner && <>, promised by {contract.owner}</>}, applied <When at={contract.appliedAt} />
        {contract.appliedBy && <> by {contract.appliedBy}</>}. Last check:{" "}
        <When at={promise?.checkedAt} never="none yet" />.
        {promise?.checkEvery && <> {often(promise.checkEvery, promise.unread)}</>}
      </p>
      {contract.status !== "active" && (
        <Notice tone="info">Only an active contract is a promise: breaches of this one are reported to nobody.</Notice>
      )}
      {contract.purpose && <p>{contract.purpose}</p>}
      {promise && promise.withheld.length > 0 && (
        <p className="muted">
          {promise.withheld.includes("rows")
            ? "Counts and places are not shown: you may not read every row."
            : "Counts and places are not shown for fields that you do not read unmasked."}
        </p>
      )}
      <div className="table-wrap">
        <table className="table">
          <thead>
            <tr>
              <th>State</th>
              <th>Promise</th>
              <th>Seen by the last check</th>
              <th>Since</th>
            </tr>
          </thead>
          <tbody>
            {rules.map((rule) => (
              <tr key={rule.id}>
                <td>
                  <span className={TONES[rule.state]}>{rule.state}</span>
                </td>
                <td>{rule.text}</td>
                <td>{seen(rule)}</td>
                <td>
                  <When at={rule.since} never="–" />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {breaches.length > 0 && (
        <>
          <h3>Breaches</h3>
          <ul>
            {breaches.map((each) => (
              <li key={each.id}>
                {each.text}: from <When at={each.beganAt} />{" "}
                {each.endedAt ? (
                  <>
                    to <When at={each.endedAt} />
                  </>
                ) : (
                  "until now"
                )}
                {place(each.first, each.last)}
              </li>
            ))}
          </ul>
        </>
      )}
      {contract.notes.length > 0 && (
        <details>
          <summary>Rules that no scan decides: {count(contract.notes.length)}</summary>
          <ul>
            {contract.notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function seen(rule: ContractRule) {
  const records = rule.count === null ? "" : `${count(rule.count)} ${rule.count === 1 ? "record" : "records"}`;
  return [rule.reason, records].filter(Boolean).join("; ") + place(rule.first, rule.last);
}

function place(first: ContractRule["first"], last: ContractRule["last"]) {
  if (!first) return "";
  const at = `partition ${first.partition}, offset ${first.offset}`;
  if (!last || (last.partition === first.partition && last.offset === first.offset)) return `, at ${at}`;
  return `, first at ${at}, last at partition ${last.partition}, offset ${last.offset}`;
}

/** How often new records are checked, and how many no check looked at. */
function often(seconds: number, unread: number | null) {
  const lacking = unread ? ` ${count(unread)} ${unread === 1 ? "record was" : "records were"} not checked.` : "";
  return `New records are checked within ${duration(seconds * 1000)}.${lacking}`;
}
