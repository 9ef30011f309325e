import { CircleUser, LogOut } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { useMe } from "@/api/access";
import { signOut, useToken } from "@/lib/session";

export function UserMenu() {
  const me = useMe(useToken()).data;
  const held = [...(me?.roles ?? []).map((r) => `role ${r}`), ...(me?.groups ?? []).map((g) => `group ${g}`)];
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger className="button quiet" aria-label={`Signed in${me ? ` as ${me.user}` : ""}`}>
        <CircleUser size={18} aria-hidden />
        <span className="user-name">{me?.user ?? "signed in"}</span>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu" align="end" sideOffset={6}>
          {held.length > 0 && <div className="caption">{held.join(", ")}</div>}
          <DropdownMenu.Item onSelect={() => signOut()}>
            <LogOut size={16} aria-hidden />
            Sign out
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
