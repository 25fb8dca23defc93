import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
}

/** A fault that the next matching bytes from the client trigger. */
type Trap = { readonly after: 'bytes'; left: number } | { readonly after: 'reply'; readonly to: RegExp };

/** A TCP proxy between one process and one server that injects network faults. */
export class TcpProxy {
  private readonly pairs = new Set<Pair>();
  private readonly awaitingReply = new WeakSet<Pair>();
  private readonly orphans = new Set<Socket>();
  /** Resolves after the last delayed chunk of a socket has been sent. */
  private readonly held = new WeakMap<Socket, Promise<void>>();
  private trap: Trap | null = null;
  private delayMs = 0;
  private isSilent = false;
  /** The number of triggered traps. */
  sprung = 0;

  private constructor(
    private readonly listener: Server,
    private readonly targetPort: number,
  ) {}

  static async to(targetPort: number): Promise<TcpProxy> {
    const listener = createServer({ noDelay: true });
    const proxy = new TcpProxy(listener, targetPort);
    listener.on('connection', (client) => proxy.accept(client));
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.listener.address() as AddressInfo).port;
  }

  /** Closes every connection. */
  cut(): number {
    const count = this.pairs.size;
    for (const pair of [...this.pairs]) this.end(pair);
    return count;
  }

  /** Closes the active connection after this many more bytes to the server. */
  cutAfterBytes(count: number): void {
    this.trap = { after: 'bytes', left: count };
  }

  /**
   * Forwards the next matching command and drops its reply, so that the client cannot determine whether it was
   * executed.
   */
  loseReplyTo(command: RegExp): void {
    this.trap = { after: 'reply', to: command };
  }

  delay(ms: number): void {
    this.delayMs = ms;
  }

  /** Drops all bytes without closing the connections. */
  blackhole(): void {
    this.isSilent = true;
  }

  /**
   * Simulates a client machine that vanishes: its connections stay open at the server, which receives nothing more.
   * Later connections work.
   */
  loseClient(): void {
    for (const { client, server } of this.pairs) {
      client.removeAllListeners('close').removeAllListeners('data').resume();
      server.removeAllListeners('close').removeAllListeners('data').resume();
      server.once('close', () => this.orphans.delete(server));
      this.orphans.add(server);
    }
    this.pairs.clear();
  }

  /** Ends all faults. Data that a blackhole discarded is lost, so its connections are closed. */
  heal(): void {
    this.trap = null;
    this.delayMs = 0;
    if (this.isSilent) this.cut();
    this.isSilent = false;
  }

  async close(): Promise<void> {
    this.cut();
    for (const orphan of this.orphans) orphan.destroy();
    this.listener.close();
    await once(this.listener, 'close');
  }

  private accept(client: Socket): void {
    const server = connect({ host: '127.0.0.1', port: this.targetPort, noDelay: true });
    const pair = { client, server };
    this.pairs.add(pair);
    client.on('data', (chunk) => this.fromClient(pair, chunk));
    server.on('data', (chunk) => this.fromServer(pair, chunk));
    client.on('close', () => this.end(pair));
    server.on('close', () => this.end(pair));
    // A broken connection emits `close` as well, which ends the pair.
    client.on('error', () => undefined);
    server.on('error', () => undefined);
  }

  private fromClient(pair: Pair, chunk: Buffer): void {
    if (this.isSilent) return;
    const { trap } = this;
    if (trap?.after === 'reply' && trap.to.test(chunk.toString('latin1'))) {
      this.trap = null;
      this.awaitingReply.add(pair);
    }
    if (trap?.after === 'bytes') {
      trap.left -= chunk.length;
      if (trap.left < 0) {
        this.trap = null;
        this.sprung += 1;
        pair.server.write(chunk.subarray(0, chunk.length + trap.left), () => this.end(pair));
        return;
      }
    }
    this.forward(pair.server, chunk);
  }

  private fromServer(pair: Pair, chunk: Buffer): void {
    if (this.isSilent) return;
    if (this.awaitingReply.has(pair)) {
      this.sprung += 1;
      this.end(pair);
    } else this.forward(pair.client, chunk);
  }

  /** Preserves the order of the chunks, also when the delay ends before a delayed chunk was sent. */
  private forward(to: Socket, chunk: Buffer): void {
    const before = this.held.get(to);
    if (this.delayMs === 0 && before === undefined) {
      to.write(chunk);
      return;
    }
    const due = performance.now() + this.delayMs;
    const sent = (before ?? Promise.resolve())
      .then(() => sleep(Math.max(0, due - performance.now())))
      .then(() => {
        if (!to.destroyed) to.write(chunk);
        if (this.held.get(to) === sent) this.held.delete(to);
      });
    this.held.set(to, sent);
  }

  /** Closes both ends; bytes in transit are lost. */
  private end(pair: Pair): void {
    this.pairs.delete(pair);
    pair.client.destroy();
    pair.server.destroy();
  }
}
