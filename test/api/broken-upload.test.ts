import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { Service } from '#test/support/service.js';

const clients = 60;

describe('clients that disconnect during an upload', () => {
  const service = Service.duringSuite({ worker: false });

  for (const [what, query] of [
    ['of a valid file', ''],
    ['that is rejected', '?delimiter=x'],
  ] as const)
    it(`${what} do not affect other clients, whenever they disconnect`, async () => {
      const { api, apiKey } = await service.workspace();
      const { hostname, port } = new URL(service.url);
      const head =
        `POST /v1/deals/import${query} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\n` +
        'Content-Type: text/csv\r\nContent-Length: 1000000\r\n\r\nid,amount\r\nD1,1\r\n';
      for (let client = 0; client < clients; client += 1) {
        const socket = connect({ host: hostname, port: Number(port) });
        await once(socket, 'connect');
        socket.write(head);
        for (let turn = 0; turn < client; turn += 1) await nextTurn();
        socket.destroy();
      }
      // An unhandled error would fail this test by now.
      expect((await api.expect(200, 'GET', '/v1/deals')).count).to.equal(0);
    });
});
