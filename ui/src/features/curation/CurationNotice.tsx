// That a dataset is deprecated, and what is announced to its readers, above its tabs.
import { Link } from "react-router";
import type { Curated } from "@/api/types";
import { Notice } from "@/components/Notice";
import { referenceLink } from "@/lib/links";

export function CurationNotice({ curated }: { curated: Curated }) {
  const { deprecation, announcements } = curated;
  return (
    <>
      {deprecation && (
        <Notice tone="warn">
          <p className="anywhere">
            Deprecated{deprecation.date && `, ends on ${deprecation.date}`}.
            {deprecation.successor && (
              <>
                {" "}
                Use <Link to={referenceLink(deprecation.successor)}>{deprecation.successor}</Link> in its place.
              </>
            )}
          </p>
          {deprecation.reason && <p className="anywhere">{deprecation.reason}</p>}
        </Notice>
      )}
      {announcements.length > 0 && (
        <Notice>
          {announcements.map((each) => (
            <p key={`${each.from} ${each.text}`} className="anywhere">
              {each.text}
            </p>
          ))}
        </Notice>
      )}
    </>
  );
}
