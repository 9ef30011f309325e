// A request for access to a dataset. To a person who sees all of it the button is not offered.
import { Link } from "react-router";
import { links } from "@/lib/links";
import { useOwnRights } from "@/lib/useOwnRights";

export function AskButton({ reference }: { reference: string }) {
  const { known, all } = useOwnRights(reference);
  if (!known)
    return (
      <button type="button" className="button" disabled>
        Request access
      </button>
    );
  if (all) return <span className="muted small">You see all of it unmasked.</span>;
  return (
    <Link className="button" to={links.ask(reference)}>
      Request access
    </Link>
  );
}
