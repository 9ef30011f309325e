import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { AT_WORK, atWork, followActivity, LOOKS_AGAIN, reading } from "@/lib/activity";

beforeEach(() => {
  vi.stubGlobal("window", new EventTarget());
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("a page that nobody touches only looks again", () => {
  followActivity();
  expect(atWork()).toBe(true);
  expect(reading()).toEqual({});
  vi.advanceTimersByTime(AT_WORK);
  expect(atWork()).toBe(false);
  expect(reading()).toEqual({ [LOOKS_AGAIN]: "1" });
});

test("events that a script makes are not a person", () => {
  followActivity();
  vi.advanceTimersByTime(AT_WORK);
  window.dispatchEvent(new Event("keydown"));
  expect(atWork()).toBe(false);
});
