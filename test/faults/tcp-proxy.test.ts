import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect } from 'chai';
import { TcpProxy } from './harness/tcp-proxy.js';

describe('the network that the fault tests put between processes and servers', () => {
  it('keeps the order of what it holds up, also when it becomes fast again', async () => {
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
      // As pieces of their own on the way, and the delay ends while some are held up.
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    while (received.length < sent.join('').length) await once(client, 'data');
    client.destroy();
    await proxy.close();
    server.close();
    expect(received).to.equal(sent.join(''));
  });
});
