import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { newId } from '../../kernel/ids.js';
import { withDocs } from '../error-response.js';

/** A listening server. */
export interface Listening {
  readonly url: string;
  close(): Promise<void>;
}

export interface Address {
  readonly host: string;
  readonly port: number;
  /** The setting of the port, for messages. */
  readonly setting: string;
}

/** Rejects if the process could not listen there, so that it finds out before it starts anything else. */
export async function assertFree(address: Address): Promise<void> {
  const probe = createServer();
  await bind(probe, address);
  await new Promise((resolve) => probe.close(resolve));
}

export async function listen(app: RequestListener, address: Address): Promise<Listening> {
  const server = createServer(
    { requestTimeout: 120_000, headersTimeout: 15_000, keepAliveTimeout: 65_000, maxHeaderSize: 16_384 },
    app,
  );
  server.maxHeadersCount = 64;
  respondToUnreadableRequests(server);
  await bind(server, address);
  const { port: boundPort } = server.address() as AddressInfo;
  const { host } = address;
  const hostname = host.includes(':') ? `[${host}]` : host;
  return { url: `http://${hostname === '0.0.0.0' ? '127.0.0.1' : hostname}:${boundPort}`, close: () => close(server) };
}

function bind(server: Server, address: Address): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(describeError(error, address)));
    server.listen(address.port, address.host, resolve);
  });
}

function describeError(error: NodeJS.ErrnoException, { host, port, setting }: Address): Error {
  const another = `Set ${setting} to another port`;
  if (error.code === 'EADDRINUSE')
    return new Error(`Port ${port} is in use. ${another}, or stop the process that uses it.`);
  if (error.code === 'EACCES')
    return new Error(`This user may not listen on port ${port}. ${another}, such as one above 1023.`);
  if (error.code === 'ENOTFOUND' || error.code === 'EADDRNOTAVAIL')
    return new Error(`HOST is ${host}, which is no address of this machine.`);
  return error;
}

/**
 * Requests that Node rejects before Express receives them, such as those with too large headers, get an error body
 * too.
 */
function respondToUnreadableRequests(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return;
    const tooLarge = error.code === 'HPE_HEADER_OVERFLOW';
    const statusCode = tooLarge ? 431 : 400;
    const code = tooLarge ? 'headers_too_large' : 'VALIDATION_FAILED';
    const message = tooLarge ? 'The headers or the URL of the request are too long.' : 'The request could not be read.';
    const body = JSON.stringify(withDocs({ statusCode, code, message }));
    const reason = tooLarge ? 'Request Header Fields Too Large' : 'Bad Request';
    const head = [
      `HTTP/1.1 ${statusCode} ${reason}`,
      `X-Request-Id: req_${newId()}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  });
}

/** Accepts no new connections, lets running requests end, and closes every connection when it is idle. */
function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const dropIdle = setInterval(() => server.closeIdleConnections(), 100);
    // A request that hangs must not block the shutdown.
    const forceClose = setTimeout(() => server.closeAllConnections(), 20_000);
    server.close(() => {
      clearInterval(dropIdle);
      clearTimeout(forceClose);
      resolve();
    });
    server.closeIdleConnections();
  });
}
