import { lookup } from 'node:dns/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isLoopbackAddress, isPublicAddress, loopbackHosts } from './public-address.js';

interface Address {
  readonly address: string;
  readonly family: number;
}

/** Resolves a host name to all of its addresses. */
type ResolveHost = (hostname: string) => Promise<readonly Address[]>;

export interface PostLimits {
  /** Allows http and https to `localhost`, 127.0.0.1 and [::1]. */
  readonly allowLoopback: boolean;
  readonly timeoutMs: number;
  /** The rest of the response is discarded. */
  readonly maxResponseBytes: number;
  readonly resolveHost?: ResolveHost;
}

interface PostResponse {
  readonly status: number;
  readonly body: string;
}

/** There is no complete response. The message is for people. */
export class PostFailure extends Error {
  override readonly name = 'PostFailure';
}

/** Why a URL cannot receive requests, whatever its host name resolves to; null if it can. */
export function checkUrl(url: URL, allowLoopback: boolean): string | null {
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or a password';
  if (allowLoopback && loopbackHosts.includes(url.hostname)) return null;
  if (url.protocol !== 'https:') return 'must begin with https://';
  const host = bareHost(url);
  if (isIP(host) !== 0 && !isPublicAddress(host)) return 'must be a public address';
  return null;
}

/**
 * Sends a request to an address that a customer entered. The host name is resolved once, every address must be public,
 * and the connection goes to one of these addresses: a name that changes its addresses in between reaches no internal
 * server. Redirects are not followed, and no connection is reused.
 */
export function postGuarded(
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: string,
  limits: PostLimits,
): Promise<PostResponse> {
  return requestGuarded(url, { method: 'POST', headers, body }, limits);
}

/** Reads from an address that a stranger entered, with the same checks. */
export function getGuarded(
  url: URL,
  headers: Readonly<Record<string, string>>,
  limits: PostLimits,
): Promise<PostResponse> {
  return requestGuarded(url, { method: 'GET', headers, body: '' }, limits);
}

interface GuardedRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

async function requestGuarded(url: URL, sent: GuardedRequest, limits: PostLimits): Promise<PostResponse> {
  const signal = AbortSignal.timeout(limits.timeoutMs);
  try {
    const addresses = await aborted(signal, checkedAddresses(url, limits));
    return await aborted(signal, send(url, sent, addresses, limits.maxResponseBytes, signal));
  } catch (error) {
    if (error instanceof PostFailure) throw error;
    if (signal.aborted) throw new PostFailure(`no complete response within ${limits.timeoutMs / 1000} seconds`);
    throw new PostFailure(`no connection${formatCode(error)}`);
  }
}

function aborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

async function checkedAddresses(url: URL, { allowLoopback, resolveHost = resolveAll }: PostLimits) {
  const problem = checkUrl(url, allowLoopback);
  if (problem !== null) throw new PostFailure(`the URL ${problem}`);
  const host = bareHost(url);
  const addresses = isIP(host) === 0 ? await resolveHost(host) : [{ address: host, family: isIP(host) }];
  const isAllowed = allowLoopback && loopbackHosts.includes(url.hostname) ? isLoopbackAddress : isPublicAddress;
  if (addresses.length === 0 || !addresses.every(({ address }) => isAllowed(address)))
    throw new PostFailure('the host name does not resolve to public addresses only');
  return addresses;
}

const resolveAll: ResolveHost = (hostname) => lookup(hostname, { all: true });

function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function send(
  url: URL,
  { method, headers, body }: GuardedRequest,
  addresses: readonly Address[],
  maxBytes: number,
  signal: AbortSignal,
): Promise<PostResponse> {
  const pinned: LookupFunction = (_hostname, { all }, callback) => {
    const [first] = addresses as [Address];
    if (all === true) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
  return new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const sent = request(url, { method, headers, agent: false, lookup: pinned, signal }, (response) => {
      limitedText(response, maxBytes).then((text) => resolve({ status: response.statusCode ?? 0, body: text }), reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Closes the connection as soon as the limit is exceeded. */
async function limitedText(response: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8');
}

/** The code of a connection error, such as ECONNREFUSED. The rest of its text may contain addresses. */
function formatCode(error: unknown): string {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z_]+$/.test(code) ? ` (${code})` : '';
}
