import { type AddressInfo, createServer } from 'node:net';

interface TrapServer {
  readonly port: number;
  /** The number of connections. */
  hits(): number;
  stop(): Promise<void>;
}

/** Listens on loopback and counts connections. */
export async function startTrapServer(): Promise<TrapServer> {
  let hits = 0;
  const server = createServer((socket) => {
    hits += 1;
    socket.on('error', () => {});
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    hits: () => hits,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
