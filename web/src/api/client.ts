import { type Client, createClient } from '#src/client.js';

/** The path of the service, without a slash at its end; the page has it in its `base` element. */
export const basePath = new URL(document.baseURI).pathname.replace(/\/+$/, '');

/** An error whose message is written for the person. */
export class ReadableError extends Error {}

type Listener = () => void;
const endListeners = new Set<Listener>();

/** Calls the listener when a response shows that the session has ended. Returns a function that removes it. */
export function onSessionEnd(listener: Listener): () => void {
  endListeners.add(listener);
  return () => endListeners.delete(listener);
}

let confirm: () => Promise<boolean> = async () => false;

/** Sets what asks the person to confirm that it is them: `false` if they do not. */
export function confirmWith(ask: () => Promise<boolean>): void {
  confirm = ask;
}

let isReload = false;

/** Starts requests that load displayed data again. No person caused them, so they ask for no confirmation. */
export function reload(start: () => void): void {
  isReload = true;
  try {
    start();
  } finally {
    isReload = false;
  }
}

/** Repeats a request that needed a recent confirmation of the person, once they have confirmed. */
const send: typeof fetch = async (input, init) => {
  const mayAsk = !isReload;
  const response = await sendOnce(input, init);
  return mayAsk && (await needsStepUp(response)) && (await confirm()) ? sendOnce(input, init) : response;
};

async function needsStepUp(response: Response): Promise<boolean> {
  // A proxy may have responded instead of the service.
  if (response.status !== 403 || response.headers.get('content-type')?.includes('json') !== true) return false;
  const body = (await response.clone().json()) as { code?: string };
  return body.code === 'step_up_required';
}

/** Adds the header that the service requires with the session cookie. */
const sendOnce: typeof fetch = async (input, init) => {
  const headers = new Headers(init?.headers);
  headers.set('X-Requested-By', 'web');
  const response = await fetch(input, { ...init, headers, credentials: 'same-origin' }).catch((cause: unknown) => {
    throw cause instanceof TypeError
      ? new ReadableError('The service cannot be reached. Check the connection.')
      : cause;
  });
  if (response.status === 401) for (const listener of endListeners) listener();
  return response;
};

/** Every operation of the service, with the types of its declaration. */
export const api: Client = createClient({ baseUrl: basePath, fetch: send });

/** The JSON response of an operation, without the files that it may return instead. */
export type Answer<Id extends keyof Client> = Exclude<Awaited<ReturnType<Client[Id]>>, Blob>;
