import { Bell, Bot, CircleUser, LogOut, MonitorSmartphone } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { useState } from "react";
import { Link } from "react-router";
import { useMe } from "@/api/access";
import { Modal } from "@/components/Modal";
import { ErrorNotice } from "@/components/Notice";
import { links } from "@/lib/links";
import { leave, useProviders, useToken } from "@/lib/session";

export function UserMenu() {
  const me = useMe(useToken()).data;
  const providers = useProviders();
  const held = [...(me?.roles ?? []).map((r) => `role ${r}`), ...(me?.groups ?? []).map((g) => `group ${g}`)];
  const [failed, setFailed] = useState<unknown>(null);
  const signOut = () => {
    setFailed(null);
    leave().catch(setFailed);
  };
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger className="button quiet" aria-label={`Signed in${me ? ` as ${me.user}` : ""}`}>
        <CircleUser size={18} aria-hidden />
        <span className="user-name">{me?.user ?? "signed in"}</span>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu" align="end" sideOffset={6}>
          {held.length > 0 && <div className="caption">{held.join(", ")}</div>}
          <DropdownMenu.Item asChild>
            <Link to={links.notifications}>
              <Bell size={16} aria-hidden />
              Notifications
            </Link>
          </DropdownMenu.Item>
          <DropdownMenu.Item asChild>
            <Link to={links.agents}>
              <Bot size={16} aria-hidden />
              Agents
            </Link>
          </DropdownMenu.Item>
          {providers.length > 0 && (
            <DropdownMenu.Item asChild>
              <Link to="/sessions">
                <MonitorSmartphone size={16} aria-hidden />
                Sessions
              </Link>
            </DropdownMenu.Item>
          )}
          <DropdownMenu.Item onSelect={signOut}>
            <LogOut size={16} aria-hidden />
            Sign out
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
      <Modal
        open={failed !== null}
        onClose={() => setFailed(null)}
        title="You are not signed out"
        lead="Weir could not end your session."
      >
        <ErrorNotice error={failed} retry={signOut} />
      </Modal>
    </DropdownMenu.Root>
  );
}
