import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { ApiError, type Client, createClient } from '../../client.js';
import { signedHeaders } from '../../outgoing/events/signature.js';
import { UsageError } from './usage-error.js';

interface ListenOptions {
  readonly url: string;
  readonly key?: string;
  readonly port: string;
  readonly events?: readonly string[];
  readonly forwardTo?: string;
}

/** Receives the events of a workspace on this machine and prints each as a line of JSON, until it is stopped. */
export async function listen(options: ListenOptions): Promise<void> {
  const token = options.key ?? process.env['COMMISSIONS_KEY'];
  if (token === undefined) throw new UsageError('needs a key: give --key or set COMMISSIONS_KEY');
  const listener = await startListener(createClient({ baseUrl: options.url, token }), {
    port: Number(options.port),
    events: options.events,
    forwardTo: options.forwardTo,
    print: (line) => process.stdout.write(`${line}\n`),
  });
  process.stderr.write(`Receiving at ${listener.address}; stop with Ctrl+C, which deletes the endpoint.\n`);
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  await listener.stop();
}

interface ListenerTerms {
  readonly port: number;
  /** The types of events; all by default. */
  readonly events?: readonly string[] | undefined;
  /** Each delivery is sent there too, and its response is the one that the service gets. */
  readonly forwardTo?: string | undefined;
  print(line: string): void;
}

interface Listener {
  readonly address: string;
  stop(): Promise<void>;
}

/** A receiver on loopback and its endpoint, which exists while it runs. */
export async function startListener(client: Client, terms: ListenerTerms): Promise<Listener> {
  let secret = '';
  const server = createServer((request, response) => {
    receive(request, secret, terms).then(
      (status) => response.writeHead(status).end(),
      () => response.writeHead(502).end(),
    );
  });
  const address = await listenOn(server, terms.port);
  try {
    const eventTypes = terms.events as never;
    const body = {
      url: address,
      description: 'commissions listen',
      ...(terms.events === undefined ? {} : { eventTypes }),
    };
    const endpoint = await client.createWebhookEndpoint({ body });
    secret = endpoint.secret;
    return {
      address,
      async stop() {
        await client.deleteWebhookEndpoint({ params: { endpointId: endpoint.id } });
        await close(server);
      },
    };
  } catch (error) {
    await close(server);
    throw explain(error);
  }
}

/** The status of the response: 401 for a delivery that the service has not signed. */
async function receive(request: IncomingMessage, secret: string, { print, forwardTo }: ListenerTerms): Promise<number> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  const header = (name: string) => String(request.headers[name] ?? '');
  const id = header('webhook-id');
  const sentAt = new Date(Number(header('webhook-timestamp')) * 1000);
  const expected = signedHeaders([secret], id, text, sentAt)['webhook-signature'];
  if (
    !header('webhook-signature')
      .split(' ')
      .some((one) => isSame(one, expected))
  )
    return 401;
  print(JSON.stringify({ id, ...JSON.parse(text) }));
  if (forwardTo === undefined) return 204;
  const names = ['content-type', 'webhook-id', 'webhook-timestamp', 'webhook-signature'];
  const headers = Object.fromEntries(names.map((name) => [name, header(name)]));
  const forwarded = await fetch(forwardTo, { method: 'POST', headers, body: text });
  await forwarded.body?.cancel();
  return forwarded.status;
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function listenOn(server: Server, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`));
  });
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

function explain(error: unknown): unknown {
  const isUrl = error instanceof ApiError && JSON.stringify(error.details ?? {}).includes('must begin with https://');
  return isUrl
    ? new Error('The service sends no events to its own machine. Start it with CRM_ALLOW_LOOPBACK=1, for a try only.')
    : error;
}
