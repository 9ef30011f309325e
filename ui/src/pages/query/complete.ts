// Completion from the catalog: topics after FROM and JOIN, fields of the topics the statement names.
import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import type { QueryClient } from "@tanstack/react-query";
import { DATASETS_KEY, fetchDatasets, fetchSchema, schemaKey } from "@/api/catalog";
import type { Dataset, Schema } from "@/api/types";
import { type Column, columnChildren } from "@/lib/columns";
import { sqlQuote, sqlTable, tablesIn } from "@/lib/sql";

const RECORD: Completion[] = [
  ["_key", "the record's key"],
  ["_headers", "its headers"],
  ["_partition", "int"],
  ["_offset", "bigint"],
  ["_timestamp", "when Kafka took it"],
].map(([label, detail]) => ({ label: label ?? "", detail: detail ?? "", type: "property", boost: -1 }));

const FIVE_MINUTES = 300_000;

async function datasets(client: QueryClient): Promise<Dataset[]> {
  const options = { queryKey: DATASETS_KEY, staleTime: FIVE_MINUTES, queryFn: () => fetchDatasets() };
  return (await client.fetchQuery(options)).datasets;
}

/** The newest schema; null where there is none or it may not be seen: completion then offers less, and stays quiet. */
async function schema(client: QueryClient, place: string, name: string): Promise<Schema | null> {
  const queryFn = () => fetchSchema(place, name);
  return client.fetchQuery({ queryKey: schemaKey(place, name), staleTime: FIVE_MINUTES, queryFn }).catch(() => null);
}

/** The fields a statement can name, of every topic it reads from. */
async function columns(client: QueryClient, text: string): Promise<Column[]> {
  const known = await datasets(client);
  const found: Column[] = [];
  for (const table of tablesIn(text)) {
    const fits = known.filter((d) => d.name === table.name && (table.place === null || d.cluster === table.place));
    const one = fits.length === 1 ? fits[0] : undefined;
    const fields = one ? (await schema(client, one.cluster ?? one.namespace, one.name))?.fields : undefined;
    if (fields) found.push(...columnChildren(fields));
  }
  return found;
}

export function catalogCompletion(client: QueryClient) {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    const before = context.state.sliceDoc(Math.max(0, context.pos - 400), context.pos);
    const table = /\b(?:FROM|JOIN)\s+([\w`.-]*)$/i.exec(before);
    if (table) {
      const options = (await datasets(client))
        .filter((d) => !d.deleted_at)
        .map((d) => ({
          label: sqlTable(d.cluster ?? d.namespace, d.name),
          detail: d.description.slice(0, 60),
          type: "class",
        }));
      return { from: context.pos - (table[1]?.length ?? 0), options, validFor: /^[\w`.-]*$/ };
    }
    const word = context.matchBefore(/[\w`.]*/);
    if (!word || (word.from === word.to && !context.explicit)) return null;
    let level = await columns(client, context.state.doc.toString());
    const typed = word.text.split(".");
    const last = typed.pop() ?? "";
    for (const name of typed) {
      // An alias (`o.customer`) stands for its table: it leads nowhere in the fields and is passed over.
      const next = level.find((c) => sqlQuote(c.name) === name || c.name === name);
      if (next) level = next.children;
    }
    const options: Completion[] = level.map((c) => ({
      label: sqlQuote(c.name),
      detail: c.type,
      type: "property",
      boost: 2,
    }));
    return {
      from: context.pos - last.length,
      options: typed.length === 0 ? [...options, ...RECORD] : options,
      validFor: /^[\w`]*$/,
    };
  };
}
