// What the signed-in user sees of one dataset, as far as Weir knows it.
import { useMe } from "@/api/access";
import { useOwnAccess } from "@/api/effective";
import { readable, seesAll } from "@/lib/ownAccess";
import { bearer, useToken } from "@/lib/session";

/** Tokens of Weir; those of a provider may carry rights that Weir knows only while it answers them. */
const OWN_TOKEN = "weir_";

export function useOwnRights(dataset: string): {
  /** False while the answer is on its way. */
  known: boolean;
  /** Undefined: Weir cannot say. */
  readable: boolean | undefined;
  /** Whether a request could open nothing more. */
  all: boolean;
} {
  const user = useMe(useToken()).data?.user;
  const own = useOwnAccess(user, dataset);
  if (bearer()?.startsWith(OWN_TOKEN) === false) return { known: true, readable: undefined, all: false };
  return { known: !own.isPending, readable: readable(own.data), all: seesAll(own.data) };
}
