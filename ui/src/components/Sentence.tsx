import { Fragment } from "react";
import { localTime, timesIn } from "@/lib/times";

/** A sentence of the API: the times in it by the clock of the browser, the exact one on hover. */
export function Sentence({ of }: { of: string }) {
  return timesIn(of).map(({ text, at }, i) => (
    <Fragment key={i}>
      {at ? (
        <time dateTime={at} title={text}>
          {localTime(at)}
        </time>
      ) : (
        text
      )}
    </Fragment>
  ));
}
