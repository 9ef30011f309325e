import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { asCurl, asPython, recordAsCurl, recordAsKcat, viewAs } from "@/lib/copyAs";

const ORIGIN = "http://127.0.0.1:8484";
const ODD = "SELECT 'it''s \\\\ $HOME `id` \"x\" !! \u{1f600} \u00fc\u2028' AS a\nFROM prod.orders";

describe("a query to take along", () => {
  it("is a command whose shell changes nothing of it", () => {
    const command = asCurl({ sql: ODD, purpose: "fraud 'x'", limit: 7 }, ORIGIN);
    expect(command).toContain("$WEIR_TOKEN");
    // The shell's own reading of the command, with curl replaced by what prints its arguments.
    const given = execFileSync("sh", ["-c", `curl() { for a in "$@"; do printf '%s\\0' "$a"; done; }; ${command}`], {
      env: { ...process.env, WEIR_TOKEN: "t" },
    })
      .toString()
      .split("\0");
    expect(given).toContain(`${ORIGIN}/api/v1/query`);
    expect(given).toContain("Authorization: Bearer t");
    expect(JSON.parse(given[given.indexOf("--data-raw") + 1] ?? "")).toEqual({
      sql: ODD,
      purpose: "fraud 'x'",
      limit: 7,
    });
  });

  it("is a program in ASCII with the same text", () => {
    const program = asPython({ sql: ODD, purpose: null, limit: 7 }, ORIGIN);
    expect(/^[\n\x20-\x7e]*$/.test(program)).toBe(true);
    expect(program).toContain("\\U0001f600");
    expect(program).toContain("\\u2028");
    expect(program).toContain("limit=7).rows()");
    expect(program).not.toContain("Bearer");
  });

  it("follows where the statement does", () => {
    const push = { sql: "SELECT 1 FROM t EMIT CHANGES", purpose: "p", limit: 1 };
    expect(asCurl(push, ORIGIN)).toContain("query/stream");
    expect(asPython(push, ORIGIN)).toContain('purpose="p").stream()');
  });

  it("of a view reads its rows and follows its changes, whatever its name", () => {
    const { curl, python, follow } = viewAs("shop.it's", ORIGIN);
    expect(curl).toBe(
      `curl -sS '${ORIGIN}/api/v1/views/shop.it'\\''s/rows' \\\n  -H "Authorization: Bearer $WEIR_TOKEN"`,
    );
    expect(follow).toContain("/changes' \\\n");
    expect(python).toContain('"SELECT * FROM `shop`.`it\'s`", limit=1000');
  });
});

describe("a record to take along", () => {
  const at = { place: "prod", name: "odd'$(id).topic", partition: 2, offset: 4711 };
  const given = (command: string, program: string) =>
    execFileSync("sh", ["-c", `${program}() { for a in "$@"; do printf '%s\\0' "$a"; done; }; ${command}`], {
      env: { ...process.env, WEIR_TOKEN: "t", BOOTSTRAP_SERVERS: "b:9092" },
    })
      .toString()
      .split("\0");

  it("is asked of the API, with the token named", () => {
    const command = recordAsCurl(at, ORIGIN);
    expect(command).toContain("$WEIR_TOKEN");
    expect(given(command, "curl")).toContain(
      `${ORIGIN}/api/v1/datasets/prod/${encodeURIComponent(at.name)}/records?order=oldest&partition=2&offset=4711&limit=1&whole=true`,
    );
  });

  it("is asked of the brokers", () => {
    const words = given(recordAsKcat(at), "kcat");
    expect(words.slice(0, 11)).toEqual(["-C", "-b", "b:9092", "-t", at.name, "-p", "2", "-o", "4711", "-c", "1"]);
    expect(words).toContain("%T %p:%o %h %k %s\\n");
  });
});
