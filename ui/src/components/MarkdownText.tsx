// Markdown that people wrote. HTML in it is shown as text, images are left out, and headings are no headings of the page.
import type { ReactNode } from "react";
import Markdown, { type Components } from "react-markdown";

const Heading = ({ children }: { children?: ReactNode }) => (
  <p>
    <strong>{children}</strong>
  </p>
);

const COMPONENTS: Components = {
  h1: Heading,
  h2: Heading,
  h3: Heading,
  h4: Heading,
  h5: Heading,
  h6: Heading,
  a: ({ children, href }) => (
    <a href={href} target="_blank" rel="noreferrer noopener nofollow">
      {children}
    </a>
  ),
};

/** Addresses that a link may lead to; others are written without a link. */
export function linkAddress(url: string): string | undefined {
  return /^(https?:\/\/|mailto:)/i.test(url) ? url : undefined;
}

export default function MarkdownText({ text }: { text: string }) {
  return (
    <div className="markdown anywhere">
      <Markdown components={COMPONENTS} disallowedElements={["img"]} unwrapDisallowed urlTransform={linkAddress}>
        {text}
      </Markdown>
    </div>
  );
}
