import { type AddressInfo, connect as connectTcp, createServer, type Socket } from 'node:net';

/** A way to the database that can be cut and mended. */
export async function interruptibleConnection(databaseUrl: string) {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const listenOn = (port: number) =>
    new Promise<ReturnType<typeof createServer>>((resolve) => {
      const server = createServer((near) => {
        const far = connectTcp(Number(target.port), target.hostname);
        for (const [source, another] of [
          [near, far],
          [far, near],
        ] as const) {
          sockets.add(source);
          source.on('error', () => another.destroy());
          source.on('close', () => another.destroy());
          source.pipe(another);
        }
      });
      server.listen(port, '127.0.0.1', () => resolve(server));
    });
  let server = await listenOn(0);
  const { port } = server.address() as AddressInfo;
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return {
    url: url.href,
    cut: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      sockets.clear();
      await closed;
    },
    mend: async () => {
      server = await listenOn(port);
    },
  };
}
