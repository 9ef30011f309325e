// A query as a command and as a program. The token is named, never written.
import { isPush } from "@/lib/sql";

export interface CopiedQuery {
  sql: string;
  purpose: string | null;
  limit: number;
}

/** A text for a POSIX shell, whatever is in it. */
const shell = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

const TOKEN = '-H "Authorization: Bearer $WEIR_TOKEN"';

export function asCurl({ sql, purpose, limit }: CopiedQuery, origin: string): string {
  const lines = isPush(sql)
    ? [
        `curl -sSNG ${shell(`${origin}/api/v1/query/stream`)}`,
        `  ${TOKEN}`,
        `  --data-urlencode ${shell(`sql=${sql}`)}`,
        ...(purpose ? [`  --data-urlencode ${shell(`purpose=${purpose}`)}`] : []),
      ]
    : [
        `curl -sS ${shell(`${origin}/api/v1/query`)}`,
        `  ${TOKEN}`,
        "  -H 'Content-Type: application/json'",
        `  --data-raw ${shell(JSON.stringify({ sql, ...(purpose ? { purpose } : {}), limit }))}`,
      ];
  return lines.join(" \\\n");
}

/** What reads the rows of a view, and follows its changes. */
export function viewAs(name: string, origin: string): { curl: string; python: string; follow: string } {
  const address = (part: string) => shell(`${origin}/api/v1/views/${encodeURIComponent(name)}/${part}`);
  const sql = `SELECT * FROM ${name
    .split(".")
    .map((part) => `\`${part.replaceAll("`", "``")}\``)
    .join(".")}`;
  return {
    curl: [`curl -sS ${address("rows")}`, `  ${TOKEN}`].join(" \\\n"),
    follow: [`curl -sSN ${address("changes")}`, `  ${TOKEN}`].join(" \\\n"),
    python: asPython({ sql, purpose: null, limit: 1000 }, origin),
  };
}

/** A Python text in ASCII. JSON escapes the rest as Python does. */
function python(text: string): string {
  return JSON.stringify(text).replaceAll(/[\u{7f}-\u{10ffff}]/gu, (c) => {
    const point = c.codePointAt(0) ?? 0;
    return point > 0xffff ? `\\U${point.toString(16).padStart(8, "0")}` : `\\u${point.toString(16).padStart(4, "0")}`;
  });
}

export function asPython({ sql, purpose, limit }: CopiedQuery, origin: string): string {
  const more = `${purpose ? `, purpose=${python(purpose)}` : ""}${isPush(sql) ? "" : `, limit=${limit}`}`;
  return `from weir_client import Weir  # the token is in the variable WEIR_TOKEN

with Weir(${python(origin)}) as weir:
    for row in weir.query(${python(sql)}${more}).${isPush(sql) ? "stream" : "rows"}():
        print(row)
`;
}

/** The address of one record: its dataset's cluster or namespace, its topic, where it is. */
export interface RecordPlace {
  place: string;
  name: string;
  partition: number;
  offset: number;
}

/** The record as its reader may see it, from the API. */
export function recordAsCurl({ place, name, partition, offset }: RecordPlace, origin: string): string {
  const address = `${origin}/api/v1/datasets/${encodeURIComponent(place)}/${encodeURIComponent(name)}/records`;
  const query = `order=oldest&partition=${partition}&offset=${offset}&limit=1&whole=true`;
  return [`curl -sS ${shell(`${address}?${query}`)}`, `  ${TOKEN}`].join(" \\\n");
}

/** The newest records of a topic as their reader may see them, from the API. */
export function topicAsCurl({ place, name }: { place: string; name: string }, origin: string): string {
  const address = `${origin}/api/v1/datasets/${encodeURIComponent(place)}/${encodeURIComponent(name)}/records`;
  return [`curl -sS ${shell(`${address}?limit=50`)}`, `  ${TOKEN}`].join(" \\\n");
}

/** The record as it was sent, from the brokers, by the rights that one has there. */
export function recordAsKcat({ name, partition, offset }: Omit<RecordPlace, "place">): string {
  const at = `-t ${shell(name)} -p ${partition} -o ${offset} -c 1`;
  return `kcat -C -b "$BOOTSTRAP_SERVERS" ${at} -f '%T %p:%o %h %k %s\\n'`;
}
