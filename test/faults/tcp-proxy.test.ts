import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect } from 'chai';
import { TcpProxy } from './harness/tcp-proxy.js';

describe('the TCP proxy of the fault tests', () => {
  it('preserves the order of delayed chunks, also when the delay ends', async () => {
    const server = createServer((socket) => socket.pipe(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = await TcpProxy.to((server.address() as AddressInfo).port);
    const client = connect({ host: '127.0.0.1', port: proxy.port, noDelay: true });
    let received = '';
    client.on('data', (chunk: Buffer) => {
      received += chunk.toString();
    });
    const sent = Array.from({ length: 60 }, (_, index) => `${index} `);
    for (const [index, text] of sent.entries()) {
      proxy.delay(index % 20 < 10 ? 15 : 0);
      await new Promise((resolve) => client.write(text, resolve));
      // Sends separate chunks; the delay ends while some chunks are held.
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    while (received.length < sent.join('').length) await once(client, 'data');
    client.destroy();
    await proxy.close();
    server.close();
    expect(received).to.equal(sent.join(''));
  });
});
