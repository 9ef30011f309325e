import { expect, test } from "vitest";
import { csv } from "@/lib/format";

test("a text that a spreadsheet would run is defused in CSV, and a number that comes as a text is not changed", () => {
  const rows = [["=1+1", "-9223372036854775808", "-12.50", "-1+2", "-"]];
  expect(csv(["a", "b", "c", "d", "e"], rows)).toBe("a,b,c,d,e\r\n'=1+1,-9223372036854775808,-12.50,'-1+2,'-\r\n");
});
