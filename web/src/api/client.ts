import { type Client, createClient } from '#src/client.js';

/** The path of the service, without a slash at its end; the page has it in its `base` element. */
export const basePath = new URL(document.baseURI).pathname.replace(/\/+$/, '');

type Listener = () => void;
const endListeners = new Set<Listener>();

/** Calls the listener when a response shows that the session has ended. Returns a function that removes it. */
export function onSessionEnd(listener: Listener): () => void {
  endListeners.add(listener);
  return () => endListeners.delete(listener);
}

/** Adds the header that the service requires with the session cookie. */
const send: typeof fetch = async (input, init) => {
  const headers = new Headers(init?.headers);
  headers.set('X-Requested-By', 'web');
  const response = await fetch(input, { ...init, headers, credentials: 'same-origin' });
  if (response.status === 401) for (const listener of endListeners) listener();
  return response;
};

/** Every operation of the service, with the types of its declaration. */
export const api: Client = createClient({ baseUrl: basePath, fetch: send });

/** The JSON response of an operation, without the files that it may return instead. */
export type Answer<Id extends keyof Client> = Exclude<Awaited<ReturnType<Client[Id]>>, Blob>;
