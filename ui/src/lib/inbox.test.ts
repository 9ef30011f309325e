import { describe, expect, it } from "vitest";
import type { InboxRow } from "@/api/inbox";
import { endsWhen, groups, sinceWhen } from "@/lib/inbox";

const row = (duty: InboxRow["duty"], subject: string) => ({ duty, subject }) as InboxRow;

describe("groups of the inbox", () => {
  it("keep the order of rows, and come where their first row is", () => {
    const found = groups([row("officer", "a"), row("owner", "b"), row("officer", "c")]);
    expect(found.map(({ duty, rows }) => [duty, rows.map((each) => each.subject)])).toEqual([
      ["officer", ["a", "c"]],
      ["owner", ["b"]],
    ]);
    expect(groups([])).toEqual([]);
  });
});

describe("times of the inbox", () => {
  const now = new Date(2026, 10, 25, 12, 0).getTime(); // a Wednesday
  const at = (day: number, hour = 10) => new Date(2026, 10, day, hour, 0).toISOString();

  it("say the day on which something ends", () => {
    expect(endsWhen(at(25, 16), now)).toBe("today at 16:00");
    expect(endsWhen(at(26), now)).toBe("tomorrow");
    expect(endsWhen(at(27), now)).toBe("on Friday");
    expect(endsWhen(at(24), now)).toBe("yesterday");
    expect(endsWhen("soon", now)).toBe("soon");
  });

  it("say since when something waits", () => {
    expect(sinceWhen(at(24), now)).toBe("since yesterday");
    expect(sinceWhen(at(25, 9), now)).toBe("for 3 hours");
    expect(sinceWhen(new Date(now - 1000).toISOString(), now)).toBe("just now");
  });
});
