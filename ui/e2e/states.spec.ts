// Every control in every state (under the mouse, with the focus, pressed, disabled), light and dark: its text can be
// read on its background, and the focus can be seen. axe looks at controls at rest only.
import type { CDPSession, Page } from "playwright-core";
import { expect, test } from "vitest";
import { painted, settled, visitors, WEIR } from "./weir";

const as = visitors();

const PAGES = [
  "/",
  "/search?q=email",
  "/datasets?show=unowned",
  "/datasets/prod/orders",
  "/datasets/prod/orders/schema?field=value.customer.email",
  "/datasets/prod/orders/personal-data",
  "/datasets/prod/orders/lineage",
  "/query",
  "/views",
  "/requests?show=mine",
  "/requests?show=grants",
  "/requests/new?dataset=prod/orders&fields=value.customer.email",
  "/review",
  "/activity",
  "/policies",
  "/reports?entity=EMAIL_ADDRESS",
  "/audit",
  "/admin",
  "/admin/users",
  "/admin/tokens",
];

/** What is opened on a page before its controls are looked at: menus and dialogs hold controls of their own. */
const OPENED: [string, (page: Page) => Promise<void>][] = [
  ["/", (page) => page.getByRole("button", { name: "Light or dark" }).click()],
  ["/", (page) => page.getByRole("button", { name: "Signed in as admin" }).click()],
  ["/", (page) => page.keyboard.press("?")],
  ["/admin/users", (page) => page.getByRole("button", { name: "Add a user" }).click()],
  ["/review", (page) => page.getByRole("button", { name: "Confirm", exact: true }).first().click()],
  ["/datasets/prod/orders/lineage", (page) => page.getByRole("button", { name: "Export", exact: true }).click()],
];

const STATES = ["hover", "focus", "active", "disabled"] as const;
type State = (typeof STATES)[number];
const CONTROLS = 'button, a.button, .tabs a, .nav a, a.stat, input, select, textarea, [role^="menuitem"], summary';

/** Of a kind of control that stands in every row of a table, a few are enough: those are marked, and looked at. */
const MARKED = "[data-looked-at]";
async function mark(page: Page): Promise<void> {
  await page.evaluate((controls) => {
    const counts = new Map<string, number>();
    for (const one of document.querySelectorAll<HTMLElement>(controls)) {
      const pressed = one.getAttribute("aria-pressed") ?? one.getAttribute("aria-current") ?? "";
      const inside = one.closest("table, ul, .facet, .tree, .menu, .dialog")?.className ?? "";
      const kind = `${one.tagName} ${one.className} ${pressed} ${inside}`;
      const looked = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, looked);
      if (looked <= 5) one.dataset.lookedAt = "";
    }
  }, CONTROLS);
}

interface Looked {
  what: string;
  text: number;
  ring: number | null;
}

/** What of a page's controls is measured: the worst contrast of a kind of control is enough. */
async function look(page: Page, state: State): Promise<Looked[]> {
  return page.evaluate(
    ({ controls, state }) => {
      type Colour = [number, number, number, number];
      const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
      const known = new Map<string, Colour>();
      const read = (text: string): Colour => {
        const before = known.get(text);
        if (before || !canvas) return before ?? [0, 0, 0, 1];
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = text;
        canvas.fillRect(0, 0, 1, 1);
        const [r = 0, g = 0, b = 0, a = 0] = canvas.getImageData(0, 0, 1, 1).data;
        known.set(text, [r, g, b, a / 255]);
        return [r, g, b, a / 255];
      };
      const over = (top: Colour, under: Colour, alpha = top[3]): Colour => [
        top[0] * alpha + under[0] * (1 - alpha),
        top[1] * alpha + under[1] * (1 - alpha),
        top[2] * alpha + under[2] * (1 - alpha),
        1,
      ];
      const light = ([r, g, b]: Colour) => {
        const part = (v: number) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
        return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
      };
      const contrast = (a: Colour, b: Colour) => {
        const [high = 0, low = 0] = [light(a), light(b)].sort((x, y) => y - x);
        return (high + 0.05) / (low + 0.05);
      };
      /** What is painted behind an element, its own background included where `own`. */
      const painted = new Map<Element, Colour>();
      const behind = (element: Element | null, own: boolean): Colour => {
        const before = own && element ? painted.get(element) : undefined;
        if (before) return before;
        if (!element) return read(getComputedStyle(document.documentElement).colorScheme === "dark" ? "#000" : "#fff");
        const under = behind(element.parentElement, true);
        if (!own) return under;
        const style = getComputedStyle(element);
        const background = read(style.backgroundColor);
        const colour = over(background, under, background[3] * Number(style.opacity));
        painted.set(element, colour);
        return colour;
      };
      const seen = new Map<string, Looked>();
      for (const element of document.querySelectorAll<HTMLElement>(controls)) {
        if (element.closest("[inert], .cm-editor, .react-flow__controls, .react-flow__minimap")) continue;
        if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
        if (state !== "disabled" && element.matches(':disabled, [aria-disabled="true"]')) continue;
        const type = element.getAttribute("type");
        if (type === "checkbox" || type === "range" || type === "radio") continue; // drawn by the browser
        const pressed = element.getAttribute("aria-pressed") ?? element.getAttribute("aria-current") ?? "";
        const what = `${element.tagName.toLowerCase()}.${element.className}${pressed && `[${pressed}]`}`.trim();
        const background = behind(element, true);
        // Words inside may have a colour of their own, as a badge in a column's head has.
        const texts = [element, ...element.querySelectorAll<HTMLElement>("*")].filter((e) =>
          [...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.textContent?.trim()),
        );
        const words = texts.length > 0 ? texts : [element];
        const worst = Math.min(
          ...words.map((e) => {
            const style = getComputedStyle(e);
            const at = e === element ? background : behind(e, true);
            let alpha = 1;
            for (let up: Element | null = e; up; up = up.parentElement) alpha *= Number(getComputedStyle(up).opacity);
            const colour = read(style.color);
            return contrast(over(colour, at, colour[3] * alpha), at);
          }),
        );
        const style = getComputedStyle(element);
        const ringed = style.outlineStyle !== "none" && Number.parseFloat(style.outlineWidth) >= 1;
        const around = Number.parseFloat(style.outlineOffset) < 0 ? background : behind(element.parentElement, true);
        const ring = state === "focus" ? (ringed ? contrast(read(style.outlineColor), around) : 1) : null;
        const before = seen.get(what);
        if (!before || worst < before.text || (ring ?? 99) < (before.ring ?? 99))
          seen.set(what, { what, text: worst, ring });
      }
      return [...seen.values()];
    },
    { controls: MARKED, state },
  );
}

/** Puts every control of the page into a state, as the browser's own tools do; gives what takes it back. */
async function force(session: CDPSession, page: Page, state: State): Promise<() => Promise<void>> {
  if (state === "disabled") {
    await page.evaluate((controls) => {
      for (const one of document.querySelectorAll<HTMLButtonElement>(controls)) {
        if (!("disabled" in one) || one.disabled) continue;
        one.disabled = true;
        one.dataset.wasEnabled = "";
      }
    }, MARKED);
    return () =>
      page.evaluate(() => {
        for (const one of document.querySelectorAll<HTMLButtonElement>("[data-was-enabled]")) {
          one.disabled = false;
          delete one.dataset.wasEnabled;
        }
      });
  }
  const { root } = await session.send("DOM.getDocument", { depth: 0 });
  const { nodeIds } = await session.send("DOM.querySelectorAll", { nodeId: root.nodeId, selector: MARKED });
  const forcedPseudoClasses = {
    hover: ["hover"],
    focus: ["focus", "focus-visible"],
    active: ["hover", "active"],
  }[state];
  const all = (classes: string[]) =>
    Promise.all(
      nodeIds.map((nodeId) => session.send("CSS.forcePseudoState", { nodeId, forcedPseudoClasses: classes })),
    );
  await all(forcedPseudoClasses);
  return async () => void (await all([]));
}

async function findings(page: Page, where: string): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  await mark(page);
  await session.send("DOM.enable");
  await session.send("CSS.enable");
  const found: string[] = [];
  for (const scheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    for (const state of STATES) {
      const release = await force(session, page, state);
      await painted(page);
      for (const { what, text, ring } of await look(page, state)) {
        const least = state === "disabled" ? 3 : 4.5;
        if (text < least) found.push(`${where} ${scheme} ${state}: ${what}: its text has ${text.toFixed(2)}:1`);
        if (ring !== null && ring < 3) found.push(`${where} ${scheme}: ${what}: its focus has ${ring.toFixed(2)}:1`);
      }
      await release();
    }
  }
  await session.detach();
  return found;
}

test("every control can be read under the mouse, with the focus, pressed and disabled", async () => {
  const page = await as("admin", "/");
  const found: string[] = [];
  for (const path of PAGES) {
    await page.goto(WEIR + path);
    await settled(page);
    found.push(...(await findings(page, path)));
  }
  expect([...new Set(found)]).toEqual([]);
}, 400_000);

test("so can the controls of menus and dialogs", async () => {
  const page = await as("admin", "/");
  const found: string[] = [];
  for (const [path, open] of OPENED) {
    await page.emulateMedia({ colorScheme: "light" });
    await page.goto(WEIR + path);
    await settled(page);
    await open(page);
    const opened = page.locator('[role="menu"], [role="dialog"]').first();
    await opened.waitFor().catch(() => found.push(`${path}: nothing opened`));
    found.push(...(await findings(page, `${path} opened`)));
  }
  expect([...new Set(found)]).toEqual([]);
}, 300_000);

test("a primary button under the real mouse can be read", async () => {
  const page = await as("admin", "/admin/users");
  const button = page.getByRole("button", { name: "Add a user" });
  await button.hover();
  await settled(page);
  await mark(page);
  await expect.poll(() => button.evaluate((b) => b.matches(":hover"))).toBe(true);
  await painted(page);
  const primary = (await look(page, "hover")).find(({ what }) => what.includes("primary"));
  expect(primary?.text).toBeGreaterThan(4.5);
});
