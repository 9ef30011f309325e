import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import MarkdownText from "@/components/MarkdownText";

const shown = (text: string) => renderToStaticMarkup(<MarkdownText text={text} />);

describe("Markdown of people", () => {
  it("is shown as lists, links and emphasis", () => {
    const html = shown("# Orders\n\n- **one**\n- [wiki](https://w.example/a)");
    expect(html).toContain("<li><strong>one</strong></li>");
    expect(html).toContain('<a href="https://w.example/a" target="_blank" rel="noreferrer noopener nofollow">wiki</a>');
    expect(html).not.toContain("<h1");
  });

  it("runs nothing and fetches nothing", () => {
    for (const text of [
      "<script>alert(1)</script>",
      "<img src=x onerror=alert(1)>",
      "![x](https://evil.example/pixel.png)",
      "[x](javascript:alert(1))",
      "[x](data:text/html,<script>alert(1)</script>)",
      "[x](//evil.example)",
      "<javascript:alert(1)>",
    ]) {
      const html = shown(text);
      expect(html, text).not.toMatch(/<script|<img|href="(?!https?:|mailto:)/i);
    }
    expect(shown("<b>x</b>")).toContain("&lt;b&gt;x&lt;/b&gt;");
  });
});
