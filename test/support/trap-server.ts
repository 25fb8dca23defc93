import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect } from 'chai';

interface TrapServer {
  readonly port: number;
  /** Fails if there was a connection, and stops the server. */
  expectNoHits(): Promise<void>;
}

/** Listens on loopback, where nothing should connect. */
export async function startTrapServer(): Promise<TrapServer> {
  let hits = 0;
  const server = createServer((socket) => {
    hits += 1;
    socket.on('error', () => {});
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    expectNoHits: async () => {
      // Connections are accepted in order, so this one comes after all that were opened before.
      const last = connect(port, '127.0.0.1').resume();
      await once(last, 'close');
      await new Promise<void>((resolve) => server.close(() => resolve()));
      expect(hits - 1).to.equal(0);
    },
  };
}
