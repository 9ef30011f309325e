// The one way to Weir's HTTP API: the token of this tab, the one error body, nothing to any other origin.
import { signOut, token } from "@/lib/session";

export type Params = Record<string, string | number | boolean | null | undefined | string[]>;

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

interface Options {
  params?: Params | undefined;
  json?: unknown;
  yaml?: string;
  signal?: AbortSignal | undefined;
}

function address(path: string, params: Params = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null && one !== undefined && one !== "") search.append(name, String(one));
    }
  }
  const text = search.toString();
  return text ? `${path}?${text}` : path;
}

async function refusal(answer: Response): Promise<ApiError> {
  const body: unknown = await answer.json().catch(() => null);
  const error = (body as { error?: { code?: string; message?: string; details?: Record<string, unknown> } } | null)
    ?.error;
  return new ApiError(
    answer.status,
    error?.code ?? "unknown",
    error?.message ?? `Weir answered ${answer.status} without a word. Its log may say more.`,
    error?.details ?? {},
  );
}

/** Sends a request; the answer stands open, for streams and files. Throws ApiError. */
export async function open(method: string, path: string, options: Options = {}): Promise<Response> {
  const headers: Record<string, string> = { Accept: "application/json, text/event-stream, text/csv, */*" };
  const bearer = token();
  if (bearer) headers.Authorization = `Bearer ${bearer}`;
  let body: string | null = null;
  if (options.yaml !== undefined) {
    headers["Content-Type"] = "application/yaml";
    body = options.yaml;
  } else if (options.json !== undefined) {
    headers["Content-Type"] = "application/json";
    body = JSON.stringify(options.json);
  }
  let answer: Response;
  try {
    answer = await fetch(address(path, options.params), { method, headers, body, signal: options.signal ?? null });
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

async function json<T>(method: string, path: string, options: Options = {}): Promise<T> {
  const answer = await open(method, path, options);
  const text = await answer.text();
  return (text ? JSON.parse(text) : null) as T;
}

export const api = {
  get: <T>(path: string, params?: Params, signal?: AbortSignal) => json<T>("GET", path, { params, signal }),
  text: async (path: string, params?: Params) => (await open("GET", path, { params })).text(),
  post: <T>(path: string, body?: unknown, params?: Params, signal?: AbortSignal) =>
    json<T>("POST", path, { json: body ?? {}, params, signal }),
  patch: <T>(path: string, body: unknown) => json<T>("PATCH", path, { json: body }),
  postYaml: <T>(path: string, text: string, params?: Params) => json<T>("POST", path, { yaml: text, params }),
  delete: <T>(path: string, params?: Params) => json<T>("DELETE", path, { params }),
};

/** `/api/v1/...` with every part percent-encoded whole. */
export function v1(...parts: string[]): string {
  return `/api/v1/${parts.map(encodeURIComponent).join("/")}`;
}
