import { Link } from "react-router";
import { Empty } from "@/components/Empty";
import { useTitle } from "@/components/PageHead";

export function NotFound() {
  useTitle("No such page");
  return (
    <Empty title="There is no page here">
      <p>
        Go <Link to="/">home</Link>, or press <kbd>/</kbd> and search for what you were after.
      </p>
    </Empty>
  );
}
