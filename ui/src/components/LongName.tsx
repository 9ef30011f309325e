import { Fragment } from "react";
import { namePieces } from "@/lib/cardName";

/** A name that breaks after dots, underscores and dashes where it has no room on one line. */
export function LongName({ of: name }: { of: string }) {
  return namePieces(name).map((piece, at) => (
    <Fragment key={at}>
      {at > 0 && <wbr />}
      {piece}
    </Fragment>
  ));
}
