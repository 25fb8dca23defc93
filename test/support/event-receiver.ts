import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';

/** One attempt to deliver an event. */
export interface ReceivedEvent {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: events of any shape
  readonly body: any;
}

/** A webhook receiver on loopback. */
export class EventReceiver {
  /** All attempts, in the order of their arrival. */
  readonly received: ReceivedEvent[] = [];
  /** Status of the responses. */
  status = 204;
  readonly url: string;

  private constructor(private readonly server: Server) {
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`;
  }

  static async start(): Promise<EventReceiver> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const id = String(request.headers['webhook-id']);
        receiver.received.push({ id, headers: request.headers, text, body: JSON.parse(text) });
        response.writeHead(receiver.status).end(receiver.status === 204 ? undefined : 'no');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const receiver: EventReceiver = new EventReceiver(server);
    return receiver;
  }

  ids(): string[] {
    return this.received.map(({ id }) => id);
  }

  stop(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}
