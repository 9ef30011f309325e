import { useSchemaVersions } from "@/api/catalog";
import { ago } from "@/lib/format";

/** Which version of the schema is shown, and which it is compared with. */
export function VersionPicker({
  place,
  name,
  shown,
  against,
  onVersion,
  onAgainst,
}: {
  place: string;
  name: string;
  shown: number;
  against: number | undefined;
  onVersion: (version: number) => void;
  onAgainst: (version: number | null) => void;
}) {
  const versions = useSchemaVersions(place, name).data ?? [];
  const newest = versions[0]?.version ?? shown;
  const label = (v: { version: number; createdAt?: string | null }) =>
    `version ${v.version}${v.version === newest ? " (newest)" : ""}${v.createdAt ? `, ${ago(v.createdAt)}` : ""}`;
  return (
    <div className="row">
      <label htmlFor="version" className="visually-hidden">
        Version
      </label>
      <select id="version" className="select" value={shown} onChange={(e) => onVersion(Number(e.target.value))}>
        {versions.length === 0 && <option value={shown}>version {shown}</option>}
        {versions.map((v) => (
          <option key={v.version} value={v.version}>
            {label(v)}
          </option>
        ))}
      </select>
      {versions.length > 1 && (
        <>
          <label htmlFor="against" className="muted">
            compared with
          </label>
          <select
            id="against"
            className="select"
            value={against ?? ""}
            onChange={(e) => onAgainst(e.target.value === "" ? null : Number(e.target.value))}
          >
            <option value="">nothing</option>
            {versions
              .filter((v) => v.version !== shown)
              .map((v) => (
                <option key={v.version} value={v.version}>
                  {label(v)}
                </option>
              ))}
          </select>
        </>
      )}
    </div>
  );
}
