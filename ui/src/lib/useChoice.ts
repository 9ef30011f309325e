// A choice among few that is kept in the address, so that the page can be sent on as it is.
import { useSearchParams } from "react-router";

export function useChoice<T extends string | number>(
  name: string,
  options: readonly { value: T }[],
  usual: T,
): [T, (value: T) => void] {
  const [params, setParams] = useSearchParams();
  const given = params.get(name);
  const chosen = options.find((option) => String(option.value) === given)?.value ?? usual;
  const choose = (value: T) => {
    const next = new URLSearchParams(params);
    if (value === usual) next.delete(name);
    else next.set(name, String(value));
    setParams(next, { replace: true });
  };
  return [chosen, choose];
}
