import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ports that Linux assigns to outgoing connections, so that none of them takes the port before it is used. */
const range = { from: 20_000, to: 32_767 };

/** A port of 127.0.0.1 on which nothing listens. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(range.from, range.to);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
