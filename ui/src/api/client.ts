// The one way to Weir's HTTP API: addresses and parameters checked against the generated schema, the token of this
// tab or the session of this browser, the one error body, nothing to any other origin.
import createClient from "openapi-fetch";
import type { paths } from "@/api/schema";
import { reading } from "@/lib/activity";
import { exactJson } from "@/lib/exactJson";
import { bearer, csrf, interrupt, readSession, signOut, token } from "@/lib/session";

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
    error?.message ?? `Weir answered ${answer.status} without a message. Its log may have more.`,
    error?.details ?? {},
  );
}

/** Whether a refusal means that the page's proof is of an older session of the same browser. */
const outdated = (error: ApiError) => error.status === 403 && String(error.details.reasons) === "csrf";

/** False when the caller gives up before somebody signed in again. */
function signedInAgain(why: string, signal: AbortSignal): Promise<boolean> {
  const gone = new Promise<boolean>((resolve) => signal.addEventListener("abort", () => resolve(false)));
  return Promise.race([interrupt(why), gone]);
}

/** Sends a request with this tab's token or in the browser's session. Throws ApiError for every answer that is not a
 * success. When the session is over, the request waits until somebody signs in again: nothing typed is lost. */
async function send(request: Request, again = true): Promise<Response> {
  const given = bearer();
  const session = given === null ? token() : null;
  const spare = session !== null && again ? request.clone() : null;
  const proof = csrf();
  if (given !== null) request.headers.set("Authorization", `Bearer ${given}`);
  else if (proof !== null && request.method !== "GET") request.headers.set("X-Weir-CSRF", proof);
  if (request.method === "GET") for (const [name, value] of Object.entries(reading())) request.headers.set(name, value);
  let answer: Response;
  try {
    answer = await fetch(request);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError(
      0,
      "unreachable",
      "Weir does not answer. Is it running? `weir status` shows; `weir up` starts it.",
    );
  }
  if (answer.ok) return answer;
  const failed = await refusal(answer);
  if (failed.status === 401 && given && given === bearer()) signOut(failed.message);
  if (spare !== null && failed.status === 401 && token() === session) {
    if (await signedInAgain(failed.message, request.signal)) return send(spare, false);
  } else if (spare !== null && outdated(failed)) {
    await readSession();
    if (token() === session) return send(spare, false);
  }
  throw failed;
}

export const weir = createClient<paths>({
  baseUrl: "/",
  fetch: (request) => send(request),
  querySerializer: (query) => {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query ?? {})) {
      for (const one of Array.isArray(value) ? value : [value]) {
        if (one !== null && one !== undefined && one !== "") search.append(name, String(one));
      }
    }
    return search.toString();
  },
});

/** A call whose answer is a file. */
export async function askFile(path: string, body: unknown, signal: AbortSignal): Promise<Blob> {
  const url = new URL(path, window.location.origin);
  const headers = { "Content-Type": "application/json" };
  return (await send(new Request(url, { method: "POST", body: JSON.stringify(body), headers, signal }))).blob();
}

/** A body that is YAML, which the OpenAPI document does not describe. */
export const yamlBody = (yaml: string) => ({
  body: yaml as never,
  bodySerializer: (text: unknown) => String(text),
  headers: { "Content-Type": "application/yaml" },
});

/** The body of an answer, in the shape the contract states for it. */
export async function answer<T>(call: Promise<{ data?: unknown }>): Promise<T> {
  return (await call).data as T;
}

/** The body of an answer with rows of people's data, asked for as text: its whole numbers stay as they were sent. */
export async function exactAnswer<T>(call: Promise<{ data?: unknown }>): Promise<T> {
  return exactJson((await call).data as string) as T;
}
