import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { isLoopbackAddress, isPublicAddress, loopbackHosts } from './public-address.js';

interface Address {
  readonly address: string;
  readonly family: number;
}

/** Resolves a host name to all of its addresses. */
type ResolveHost = (hostname: string) => Promise<readonly Address[]>;

/** Which addresses may be reached, and how long it may take. */
export interface ConnectLimits {
  /** Allows http and https to `localhost`, 127.0.0.1 and [::1]. */
  readonly allowLoopback: boolean;
  readonly timeoutMs: number;
  readonly resolveHost?: ResolveHost;
}

export interface PostLimits extends ConnectLimits {
  /** The rest of the response is discarded. */
  readonly maxResponseBytes: number;
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
  return requestText(url, { method: 'POST', headers, body }, limits);
}

/** Reads from an address that a stranger entered, with the same checks. */
export function getGuarded(
  url: URL,
  headers: Readonly<Record<string, string>>,
  limits: PostLimits,
): Promise<PostResponse> {
  return requestText(url, { method: 'GET', headers, body: '' }, limits);
}

const maxRedirects = 5;
const redirectStatuses: readonly number[] = [301, 302, 303, 307, 308];

/**
 * Reads a file from an address that a customer entered. Redirects are followed, since services that publish files send
 * them; every target is checked as the first address was, and the headers, which may be secret, go to the first host only.
 */
export async function downloadGuarded(
  url: URL,
  headers: Readonly<Record<string, string>>,
  limits: PostLimits,
): Promise<{ readonly status: number; readonly bytes: Buffer }> {
  let at = url;
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const sent = at.origin === url.origin ? headers : {};
    const response = await requestGuarded(at, { method: 'GET', headers: sent, body: '' }, limits);
    if (response.isCut) throw new PostFailure(`the file is larger than ${limits.maxResponseBytes / 1024 / 1024} MiB`);
    if (!redirectStatuses.includes(response.status) || response.location === null) return response;
    if (!URL.canParse(response.location, at.href)) throw new PostFailure('the redirect leads to no URL');
    at = new URL(response.location, at);
  }
  throw new PostFailure(`more than ${maxRedirects} redirects`);
}

/** Opens a connection to a server whose name a customer entered, with the same checks of its addresses. */
export async function connectGuarded(hostname: string, port: number, limits: ConnectLimits): Promise<Socket> {
  const signal = AbortSignal.timeout(limits.timeoutMs);
  try {
    const [first] = await unlessAborted(signal, resolveChecked(hostname, limits));
    const socket = connect({ host: (first as Address).address, port });
    signal.addEventListener('abort', () => socket.connecting && socket.destroy(), { once: true });
    await unlessAborted(signal, once(socket, 'connect'));
    return socket;
  } catch (error) {
    throw toPostFailure(error, signal, limits);
  }
}

async function requestText(url: URL, sent: GuardedRequest, limits: PostLimits): Promise<PostResponse> {
  const { status, bytes } = await requestGuarded(url, sent, limits);
  return { status, body: bytes.toString('utf8') };
}

interface GuardedRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface GuardedResponse {
  readonly status: number;
  readonly location: string | null;
  readonly bytes: Buffer;
  /** Whether the response is larger than the limit. */
  readonly isCut: boolean;
}

async function requestGuarded(url: URL, sent: GuardedRequest, limits: PostLimits): Promise<GuardedResponse> {
  const signal = AbortSignal.timeout(limits.timeoutMs);
  try {
    const addresses = await unlessAborted(signal, checkedAddresses(url, limits));
    return await unlessAborted(signal, send(url, sent, addresses, limits.maxResponseBytes, signal));
  } catch (error) {
    throw toPostFailure(error, signal, limits);
  }
}

function toPostFailure(error: unknown, signal: AbortSignal, { timeoutMs }: ConnectLimits): PostFailure {
  if (error instanceof PostFailure) return error;
  if (signal.aborted) return new PostFailure(`no complete response within ${timeoutMs / 1000} seconds`);
  return new PostFailure(`no connection${formatCode(error)}`);
}

/** The result of the work, or the reason of the signal if that comes first. */
function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

async function checkedAddresses(url: URL, limits: ConnectLimits): Promise<readonly Address[]> {
  const problem = checkUrl(url, limits.allowLoopback);
  if (problem !== null) throw new PostFailure(`the URL ${problem}`);
  return resolveChecked(url.hostname, limits);
}

/** All addresses of the host must be public; those of an allowed loopback host must be loopback addresses. */
async function resolveChecked(
  hostname: string,
  { allowLoopback, resolveHost = resolveAll }: ConnectLimits,
): Promise<readonly Address[]> {
  const host = bareHost({ hostname });
  const addresses = isIP(host) === 0 ? await resolveHost(host) : [{ address: host, family: isIP(host) }];
  const isAllowed = allowLoopback && loopbackHosts.includes(hostname) ? isLoopbackAddress : isPublicAddress;
  if (addresses.length === 0 || !addresses.every(({ address }) => isAllowed(address)))
    throw new PostFailure('the host name does not resolve to public addresses only');
  return addresses;
}

const resolveAll: ResolveHost = (hostname) => lookup(hostname, { all: true });

function bareHost({ hostname }: Pick<URL, 'hostname'>): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function send(
  url: URL,
  { method, headers, body }: GuardedRequest,
  addresses: readonly Address[],
  maxBytes: number,
  signal: AbortSignal,
): Promise<GuardedResponse> {
  const pinned: LookupFunction = (_hostname, { all }, callback) => {
    const [first] = addresses as [Address];
    if (all === true) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
  return new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const outgoing = request(url, { method, headers, agent: false, lookup: pinned, signal }, (response) => {
      const { statusCode: status = 0, headers: received } = response;
      limitedBytes(response, maxBytes).then(
        (read) => resolve({ status, location: received.location ?? null, ...read }),
        reject,
      );
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** Closes the connection as soon as the limit is exceeded. */
async function limitedBytes(
  response: IncomingMessage,
  maxBytes: number,
): Promise<Pick<GuardedResponse, 'bytes' | 'isCut'>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isCut: size > maxBytes };
}

/** The code of a connection error, such as ECONNREFUSED. The rest of its text may contain addresses. */
function formatCode(error: unknown): string {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z_]+$/.test(code) ? ` (${code})` : '';
}
