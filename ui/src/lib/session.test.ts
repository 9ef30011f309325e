import { beforeEach, expect, test, vi } from "vitest";
import { leave, readSession, signOutAddress, token, whatFailed } from "@/lib/session";

const SESSION = { id: "ses_1", user: "ana", provider: "company", csrf: "proof" };
const PROVIDERS = [{ name: "company", title: "Company account" }];
let answers: Record<string, () => Promise<Response>>;

function gives(status: number, body: unknown): () => Promise<Response> {
  return async () => new Response(JSON.stringify(body), { status });
}

vi.stubGlobal("sessionStorage", { getItem: () => null, setItem: () => undefined, removeItem: () => undefined });
vi.stubGlobal(
  "BroadcastChannel",
  class {
    postMessage() {}
  },
);
vi.stubGlobal("fetch", (path: string) => (answers[path] ?? gives(404, {}))());

beforeEach(async () => {
  answers = {
    "/api/v1/auth/session": gives(200, { providers: PROVIDERS, session: SESSION, ended: null, problem: null }),
  };
  await readSession();
  expect(token()).toBe("session of ana");
});

test("signing out leaves the session here too", async () => {
  answers["/api/v1/auth/logout"] = gives(200, { address: "https://id.example/out" });
  await leave();
  expect([token(), signOutAddress()]).toEqual([null, "https://id.example/out"]);
});

test("a session that was over before is left", async () => {
  answers["/api/v1/auth/logout"] = gives(401, { error: { message: "ended" } });
  await leave();
  expect(token()).toBe(null);
});

test.each([
  ["a refusal", gives(503, { error: { message: "The store does not answer." } }), "The store does not answer."],
  ["an answer without a body", async () => new Response("", { status: 502 }), "Weir did not answer."],
  ["no answer", () => Promise.reject(new TypeError("failed to fetch")), "Weir did not answer."],
])("%s is shown and signs nobody out on the page only", async (_, given, why) => {
  answers["/api/v1/auth/logout"] = given;
  await expect(leave()).rejects.toThrow(`You are still signed in: ${why}`);
  expect(token()).toBe("session of ana");
});

test("a provider that does not answer leaves the session and shows why", async () => {
  const state = { providers: PROVIDERS, session: null, ended: null, problem: "company does not answer" };
  answers["/api/v1/auth/session"] = gives(200, state);
  await readSession();
  expect([token(), whatFailed()]).toEqual(["session of ana", "company does not answer"]);
  answers["/api/v1/auth/session"] = gives(502, {});
  await readSession();
  expect([token(), whatFailed()]).toEqual(["session of ana", expect.stringContaining("Weir does not answer")]);
  answers["/api/v1/auth/session"] = gives(200, { ...state, problem: null, ended: "The session has ended." });
  await readSession();
  expect([token(), whatFailed()]).toEqual([null, null]);
});
