// Light, dark, or as the system says; kept in localStorage.

export type Theme = "system" | "light" | "dark";

const KEY = "weir.theme";

export function theme(): Theme {
  const kept = localStorage.getItem(KEY);
  return kept === "light" || kept === "dark" ? kept : "system";
}

export function applyTheme(next: Theme = theme()): void {
  if (next === "system") {
    localStorage.removeItem(KEY);
    delete document.documentElement.dataset.theme;
  } else {
    localStorage.setItem(KEY, next);
    document.documentElement.dataset.theme = next;
  }
}
