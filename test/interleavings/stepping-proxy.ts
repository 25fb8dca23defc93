import { EventEmitter, once } from 'node:events';
import net from 'node:net';

const readyForQuery = 'Z'.charCodeAt(0);
const backendKeyData = 'K'.charCodeAt(0);
const query = 'Q'.charCodeAt(0);
const sync = 'S'.charCodeAt(0);

/**
 * A proxy between one connection and PostgreSQL. When armed, it holds each statement (everything up to a Query or
 * Sync message of the wire protocol) until `release`, so that a test determines the order.
 */
export class SteppingProxy {
  private readonly events = new EventEmitter();
  private readonly held: Buffer[] = [];
  private fromClient: Buffer = Buffer.alloc(0);
  private fromServer: Buffer = Buffer.alloc(0);
  private upstream: net.Socket | undefined;
  private armed = false;
  private startedUp = false;
  private running = false;
  /** Statements released since it was armed. */
  steps = 0;
  /** The process id of the connection's backend, for pg_blocking_pids. */
  backendPid = 0;

  private constructor(
    private readonly server: net.Server,
    readonly url: string,
  ) {}

  static async open(serverUrl: string): Promise<SteppingProxy> {
    const target = new URL(serverUrl);
    const server = net.createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = new URL(serverUrl);
    url.port = String((server.address() as net.AddressInfo).port);
    const proxy = new SteppingProxy(server, url.href);
    server.on('connection', (client) => proxy.connect(client, Number(target.port)));
    return proxy;
  }

  async close(): Promise<void> {
    this.upstream?.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  arm(): void {
    this.armed = true;
    this.steps = 0;
  }

  /** Releases everything, including held statements. */
  disarm(): void {
    this.armed = false;
    for (const bytes of [...this.held.splice(0), this.fromClient]) this.upstream?.write(bytes);
    this.fromClient = Buffer.alloc(0);
  }

  get hasHeld(): boolean {
    return this.held.length > 0;
  }

  get isRunning(): boolean {
    return this.running;
  }

  /** Releases the next statement. */
  release(): void {
    const statement = this.held.shift();
    if (statement === undefined) throw new Error('no statement is held');
    this.running = true;
    this.steps += 1;
    this.upstream?.write(statement);
  }

  /** Resolves when a statement is held or a released one has ended. */
  async changed(signal: AbortSignal): Promise<void> {
    await once(this.events, 'changed', { signal }).catch(() => undefined);
  }

  private connect(client: net.Socket, port: number): void {
    const upstream = net.connect(port, '127.0.0.1');
    this.upstream = upstream;
    this.fromClient = Buffer.alloc(0);
    this.fromServer = Buffer.alloc(0);
    this.startedUp = false;
    client.setNoDelay(true);
    upstream.setNoDelay(true);
    client.on('data', (chunk) => this.fromApplication(chunk, upstream));
    upstream.on('data', (chunk) => {
      this.readServer(chunk);
      client.write(chunk);
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  }

  private fromApplication(chunk: Buffer, upstream: net.Socket): void {
    if (!this.startedUp || !this.armed) {
      upstream.write(chunk);
      return;
    }
    this.fromClient = Buffer.concat([this.fromClient, chunk]);
    let end = 0;
    let start = 0;
    while (end + 5 <= this.fromClient.length) {
      const next = end + 1 + this.fromClient.readUInt32BE(end + 1);
      if (next > this.fromClient.length) break;
      const type = this.fromClient[end];
      end = next;
      if (type !== query && type !== sync) continue;
      this.held.push(this.fromClient.subarray(start, end));
      start = end;
    }
    this.fromClient = this.fromClient.subarray(start);
    if (start > 0) this.events.emit('changed');
  }

  private readServer(chunk: Buffer): void {
    this.fromServer = Buffer.concat([this.fromServer, chunk]);
    let at = 0;
    while (at + 5 <= this.fromServer.length) {
      const next = at + 1 + this.fromServer.readUInt32BE(at + 1);
      if (next > this.fromServer.length) break;
      const type = this.fromServer[at];
      if (type === backendKeyData) this.backendPid = this.fromServer.readUInt32BE(at + 5);
      if (type === readyForQuery) {
        this.startedUp = true;
        this.running = false;
        this.events.emit('changed');
      }
      at = next;
    }
    this.fromServer = this.fromServer.subarray(at);
  }
}
