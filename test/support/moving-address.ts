import { connect, createServer, type Socket } from 'node:net';

/** One address in front of servers, of which one at a time receives the connections: a proxy that follows the primary. */
export class MovingAddress {
  private readonly sockets = new Set<Socket>();
  private readonly server = createServer((client) => this.forward(client));

  private constructor(private target: number) {}

  static async before(port: number): Promise<MovingAddress> {
    const address = new MovingAddress(port);
    await new Promise<void>((resolve) => address.server.listen(0, '127.0.0.1', resolve));
    return address;
  }

  get port(): number {
    return (this.server.address() as { port: number }).port;
  }

  moveTo(port: number): void {
    this.target = port;
    for (const socket of this.sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private forward(client: Socket): void {
    const server = connect(this.target, '127.0.0.1');
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.sockets.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        this.sockets.delete(one);
        other.destroy();
      });
    }
  }
}
