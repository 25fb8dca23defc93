export interface RetryOptions {
  /** How often a call is repeated: by default four times, and never with 0. */
  readonly retries?: number | undefined;
}

/** A proxy responded in place of the service, which may have executed the call. */
const uncertainStatuses = [502, 504];
const maxPauseMs = 60_000;

/** Null if the request is not sent again. */
type Pause = number | null;

/**
 * A `fetch` that repeats a request after the pause that `Retry-After` names, otherwise after a growing one. What may have
 * been executed is repeated only if that is harmless: methods other than POST and PATCH, and requests with a key.
 */
export function retrying(send: typeof fetch, { retries = 4 }: RetryOptions): typeof fetch {
  return async (input, init) => {
    // A stream is gone after the first attempt.
    const attempts = init?.body instanceof ReadableStream ? 0 : retries;
    for (let attempt = 0; ; attempt += 1) {
      const outcome = await attemptOnce(() => send(input, init));
      const pause = attempt < attempts ? await pauseAfter(outcome, isHarmless(init), attempt) : null;
      if (pause === null || isAborted(init)) return returnOrThrow(outcome);
      if (outcome instanceof Response) await outcome.body?.cancel();
      await wait(pause, init?.signal);
    }
  };
}

type Outcome = Response | { readonly error: unknown };

function returnOrThrow(outcome: Outcome): Response {
  if (outcome instanceof Response) return outcome;
  throw outcome.error;
}

function isAborted(init: RequestInit | undefined): boolean {
  return init?.signal?.aborted === true;
}

async function attemptOnce(send: () => Promise<Response>): Promise<Outcome> {
  try {
    return await send();
  } catch (error) {
    return { error };
  }
}

function isHarmless(init: RequestInit | undefined): boolean {
  const method = (init?.method ?? 'GET').toUpperCase();
  return !['POST', 'PATCH'].includes(method) || new Headers(init?.headers).has('Idempotency-Key');
}

async function pauseAfter(outcome: Outcome, isSafe: boolean, attempt: number): Promise<Pause> {
  const growing = 500 * 2 ** attempt * (0.5 + Math.random() / 2);
  if (!(outcome instanceof Response)) return isSafe ? growing : null;
  const mayRepeat = isSafe ? isTemporary(outcome) : await isNotExecuted(outcome);
  if (!mayRepeat) return null;
  const named = readPause(outcome.headers.get('retry-after')) ?? growing;
  return named > maxPauseMs ? null : named;
}

function isTemporary({ status }: Response): boolean {
  return status === 429 || status === 503 || uncertainStatuses.includes(status);
}

/**
 * With `database_unavailable`, the connection may have been lost during the commit, whose outcome is then unknown. A 503
 * without a code comes from a proxy.
 */
async function isNotExecuted(response: Response): Promise<boolean> {
  if (response.status !== 503) return response.status === 429;
  const code = await readCode(response.clone());
  return code !== null && code !== 'database_unavailable';
}

/** Null if the body is not an error of the service. */
async function readCode(response: Response): Promise<string | null> {
  try {
    const { code } = (await response.json()) as { readonly code?: unknown };
    return typeof code === 'string' ? code : null;
  } catch {
    return null;
  }
}

/** Seconds or a date; null if the header has neither. */
function readPause(header: string | null): Pause {
  if (header === null) return null;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, date - Date.now());
}

function wait(ms: number, signal: AbortSignal | null | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
