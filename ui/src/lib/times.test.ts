import { expect, test } from "vitest";
import { exactLocalTime, localTime, timesIn } from "@/lib/times";

test("a time is shown by the clock of the browser, in words", () => {
  const local = "2026-12-03T15:00:15"; // without a zone: that of the browser
  const utc = new Date(local).toISOString();
  expect(localTime(utc)).toBe("3 Dec 2026, 15:00");
  expect(localTime(utc, "second")).toBe("3 Dec 2026, 15:00:15");
  expect(localTime("soon")).toBe("soon");
});

test("times are found in sentences of the API, however they are written", () => {
  const grant = "Opened by grant g-1 for care, until 2026-12-03 15:00:15 UTC.";
  expect(timesIn(grant)).toEqual([
    { text: "Opened by grant g-1 for care, until " },
    { text: "2026-12-03 15:00:15 UTC", at: "2026-12-03T15:00:15Z" },
    { text: "." },
  ]);
  expect(timesIn("2026-12-03T15:00:15.402683Z: over")[0]?.at).toBe("2026-12-03T15:00:15.402683Z");
  expect(timesIn("between 2026-11-12 15:11 UTC and 2026-11-26 14:57 UTC").map((part) => part.at)).toEqual([
    undefined,
    "2026-11-12T15:11Z",
    undefined,
    "2026-11-26T14:57Z",
  ]);
});

test("dates alone, names and conditions on rows stay as they are", () => {
  for (const text of ["", "review-2026-12-03", "where ts > '2026-12-03T15:00:15'", "on 2026-12-03"]) {
    expect(timesIn(text).every((part) => part.at === undefined)).toBe(true);
    expect(
      timesIn(text)
        .map((part) => part.text)
        .join(""),
    ).toBe(text);
  }
});

test("the time of a record keeps its fraction of a second, without zeros at its end", () => {
  expect(exactLocalTime("2026-12-03T15:00:15.045000Z")).toMatch(/^3 Dec 2026, \d\d:00:15\.045$/);
  expect(exactLocalTime("2026-12-03T15:00:15.000000Z")).toMatch(/^3 Dec 2026, \d\d:00:15$/);
  expect(exactLocalTime("soon")).toBe("soon");
});
