// A description, which people write as Markdown. The code that reads Markdown comes when a text needs it.
import { Suspense } from "react";
import { isMarkdown } from "@/lib/markdown";
import { part } from "@/lib/part";

const MarkdownText = part(() => import("@/components/MarkdownText"));

export function Described({ text }: { text: string }) {
  if (!isMarkdown(text)) return <p className="anywhere">{text}</p>;
  return (
    <Suspense fallback={<p className="anywhere">{text}</p>}>
      <MarkdownText text={text} />
    </Suspense>
  );
}
