import { Monitor, Moon, Sun } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { useState } from "react";
import { applyTheme, type Theme, theme } from "@/lib/theme";

const CHOICES: { value: Theme; text: string; icon: typeof Sun }[] = [
  { value: "system", text: "As the system", icon: Monitor },
  { value: "light", text: "Light", icon: Sun },
  { value: "dark", text: "Dark", icon: Moon },
];

export function ThemeMenu() {
  const [now, setNow] = useState(theme);
  const Icon = CHOICES.find((c) => c.value === now)?.icon ?? Monitor;
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger className="button quiet icon" aria-label="Light or dark">
        <Icon size={17} aria-hidden />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu" align="end" sideOffset={6}>
          <DropdownMenu.RadioGroup
            value={now}
            onValueChange={(value) => {
              applyTheme(value as Theme);
              setNow(value as Theme);
            }}
          >
            {CHOICES.map((choice) => (
              <DropdownMenu.RadioItem key={choice.value} value={choice.value}>
                <choice.icon size={16} aria-hidden />
                {choice.text}
                <DropdownMenu.ItemIndicator style={{ marginLeft: "auto" }}>✓</DropdownMenu.ItemIndicator>
              </DropdownMenu.RadioItem>
            ))}
          </DropdownMenu.RadioGroup>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
