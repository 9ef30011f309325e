import { describe, expect, it } from "vitest";
import { firstLine, isMarkdown } from "@/lib/markdown";

describe("Markdown", () => {
  it("is what may look other than it is written", () => {
    for (const text of ["**x**", "a\nb", "- a", "1. a", "[a](b)", "<b>", "# x", "a_b_"])
      expect(isMarkdown(text), text).toBe(true);
    for (const text of ["Orders of the web shop.", "", "3 fields - of 4", "e-mail (home)"])
      expect(isMarkdown(text), text).toBe(false);
  });

  it("has a first line without its signs", () => {
    expect(firstLine("\n\n# Orders of the **shop**\n\nMore.")).toBe("Orders of the shop");
    expect(firstLine("- see [the wiki](https://w.example) and `id`")).toBe("see the wiki and id");
    expect(firstLine("customer_id and 2 * 3 * 4")).toBe("customer_id and 2 * 3 * 4");
    expect(firstLine("")).toBe("");
  });
});
