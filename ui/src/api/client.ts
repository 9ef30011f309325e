// The one way to Weir's HTTP API: addresses and parameters checked against the generated schema, the token of this
// tab, the one error body, nothing to any other origin.
import createClient from "openapi-fetch";
import type { paths } from "@/api/schema";
import { signOut, token } from "@/lib/session";

/** A failure as Weir tells it: one sentence, and details for those who want to act on it. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: Record<string, unknown> = {},
  ) {
    super(message);
  }
}

interface ErrorBody {
  error?: { code?: string; message?: string; details?: Record<string, unknown> };
}

async function refusal(answer: Response): Promise<ApiError> {
  const { error } = ((await answer.json().catch(() => null)) ?? {}) as ErrorBody;
  return new ApiError(
    answer.status,
    error?.code ?? "unknown",
    error?.message ?? `Weir answered ${answer.status} without a word. Its log may say more.`,
    error?.details ?? {},
  );
}

/** Sends a request with this tab's token. Throws ApiError for every answer that is not a success. */
async function send(request: Request): Promise<Response> {
  const bearer = token();
  if (bearer) request.headers.set("Authorization", `Bearer ${bearer}`);
  let answer: Response;
  try {
    answer = await fetch(request);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError(
      0,
      "unreachable",
      "Weir does not answer. Is it running? `weir status` tells; `weir up` starts it.",
    );
  }
  if (answer.ok) return answer;
  const failed = await refusal(answer);
  if (answer.status === 401 && bearer && bearer === token()) signOut(failed.message);
  throw failed;
}

export const weir = createClient<paths>({
  baseUrl: "/",
  fetch: send,
  querySerializer: (query) => {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query ?? {})) {
      if (value !== null && value !== undefined && value !== "") search.append(name, String(value));
    }
    return search.toString();
  },
});

type Query = Record<string, string | number | boolean | null | undefined | readonly string[]>;

/** A call whose answer is no JSON, or whose parameters repeat: what `weir` cannot say. */
export async function ask(
  method: "GET" | "POST" | "DELETE",
  path: string,
  { query = {}, body, signal }: { query?: Query; body?: unknown; signal?: AbortSignal | undefined } = {},
): Promise<Response> {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null && one !== undefined && one !== "") search.append(name, String(one));
    }
  }
  const url = new URL(search.size > 0 ? `${path}?${search}` : path, window.location.origin);
  return send(
    new Request(url, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),
      ...(signal ? { signal } : {}),
    }),
  );
}

/** Sends a text as it is. */
export async function askText(path: string, body: string, type: string): Promise<Response> {
  const url = new URL(path, window.location.origin);
  return send(new Request(url, { method: "POST", body, headers: { "Content-Type": type } }));
}

/** True where this Weir has no such route: it is older than its pages, which then do without. */
export function routeIsMissing(error: unknown): boolean {
  return (
    error instanceof ApiError && (error.status === 405 || (error.status === 404 && /nothing at/.test(error.message)))
  );
}

/** The body of an answer, in the shape the contract states for it. */
export async function answer<T>(call: Promise<{ data?: unknown }>): Promise<T> {
  return (await call).data as T;
}
