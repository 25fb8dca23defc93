import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { expect } from 'chai';
import { type Response } from 'express';
import { ResponseWriter } from '#src/platform/http/response-writer.js';

const mebibyte = 1024 * 1024;
/** More than the operating system holds for a connection. */
const chunks = 64;

describe('a response of many megabytes', () => {
  interface Sent {
    readonly response: ServerResponse;
    readonly taken: () => number;
  }

  /** Sends the response to a client, which may read it or not. */
  async function send(reads: boolean, stallMs: number, observe: (sent: Sent) => Promise<void>): Promise<void> {
    let taken = 0;
    function* content(): Generator<Buffer> {
      for (; taken < chunks; taken += 1) yield Buffer.alloc(mebibyte, 32);
    }
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.on('error', () => undefined);
    if (reads) client.resume();
    else client.pause();
    client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    try {
      const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
      void new ResponseWriter(stallMs).stream(response as Response, content());
      await observe({ response, taken: () => taken });
    } finally {
      client.destroy();
      server.close();
    }
  }

  it('is produced no faster than the client reads, and a client that does not read is disconnected', async () => {
    await send(false, 300, async ({ response, taken }) => {
      await once(response, 'close');
      expect(response.writableFinished).to.equal(false);
      expect(taken()).to.be.lessThan(chunks / 2);
    });
  });

  it('arrives completely at a client that reads', async () => {
    await send(true, 200_000, async ({ response, taken }) => {
      await once(response, 'finish');
      expect(taken()).to.equal(chunks);
    });
  });
});
