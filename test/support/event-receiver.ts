import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, type Socket } from 'node:net';

/** One attempt to deliver an event. */
export interface ReceivedEvent {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: events of any shape
  readonly body: any;
}

/**
 * How a receiver treats requests: it responds with its status, redirects to another path of its own, responds never, or
 * closes every connection as a machine that is down.
 */
type ReceiverMode = 'responds' | 'redirects' | 'hangs' | 'is down';

/** A webhook receiver on loopback. */
export class EventReceiver {
  /** All attempts, in the order of their arrival. */
  readonly received: ReceivedEvent[] = [];
  /** What happened to events, in this order: their arrivals, and the responses that accepted them. */
  readonly history: { readonly id: string; readonly what: 'arrived' | 'accepted' }[] = [];
  /** Requests to the target of redirects. */
  redirected = 0;
  mode: ReceiverMode = 'responds';
  /** Status of the responses. */
  status = 204;
  /** Time before a response. */
  delayMs = 0;
  readonly url: string;
  private readonly hanging = new Set<Socket>();

  private constructor(private readonly server: Server) {
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`;
    server.on('connection', (socket) => {
      if (this.mode === 'is down') socket.destroy();
    });
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => this.receive(request, Buffer.concat(chunks).toString(), response));
    });
  }

  static async start(): Promise<EventReceiver> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new EventReceiver(server);
  }

  ids(): string[] {
    return this.received.map(({ id }) => id);
  }

  /** Responds normally from now on. Requests without a response lose their connection. */
  recover(): void {
    this.mode = 'responds';
    this.status = 204;
    this.delayMs = 0;
    for (const socket of this.hanging) socket.destroy();
    this.hanging.clear();
  }

  private receive(request: IncomingMessage, text: string, response: ServerResponse): void {
    if (request.url === '/redirected') {
      this.redirected += 1;
      response.writeHead(204).end();
      return;
    }
    const id = String(request.headers['webhook-id']);
    this.received.push({ id, headers: request.headers, text, body: JSON.parse(text) });
    this.history.push({ id, what: 'arrived' });
    const { mode, status } = this;
    if (mode === 'hangs') this.hanging.add(request.socket);
    else if (mode === 'redirects') response.writeHead(307, { Location: '/redirected' }).end();
    else setTimeout(() => this.respond(id, status, response), this.delayMs);
  }

  private respond(id: string, status: number, response: ServerResponse): void {
    if (status < 300) this.history.push({ id, what: 'accepted' });
    response.writeHead(status).end(status === 204 ? undefined : 'no');
  }

  stop(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}
