import { useState } from "react";

/** Ends something by two clicks. `of`: what, for those who do not see the row. */
export function EndButton({ onEnd, word = "End", of }: { onEnd: () => void; word?: string; of?: string }) {
  const [sure, setSure] = useState(false);
  return (
    <button type="button" className="button small danger" onClick={() => (sure ? onEnd() : setSure(true))}>
      {sure ? `Really ${word.toLowerCase()} it` : word}
      {of && <span className="visually-hidden"> {of}</span>}
    </button>
  );
}
