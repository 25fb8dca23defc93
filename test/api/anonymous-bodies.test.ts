import { once } from 'node:events';
import net from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';

const perMinute = 5;

describe('bodies of requests without a token', () => {
  const service = Service.duringSuite({
    settings: { PUBLIC_REQUESTS_PER_MINUTE: String(perMinute), TRUST_PROXY_HOPS: '1' },
    worker: false,
  });

  const send = (body: Uint8Array | string, address: string, headers: Record<string, string> = {}) =>
    service.client(null).send('POST', '/auth/otp/send', body, {
      'Content-Type': 'application/json',
      'X-Forwarded-For': address,
      ...headers,
    });

  it('returns 413 for more than 8 KiB', async () => {
    const { status, body } = await send(JSON.stringify({ email: 'x'.repeat(9_000) }), '192.0.2.1');
    expect([status, body.code, body.message]).to.deep.equal([
      413,
      'payload_too_large',
      'The body is larger than 8 KiB.',
    ]);
  });

  it('returns 413 for a small body that is larger than 8 KiB after decompression', async () => {
    const bomb = gzipSync(JSON.stringify({ email: Array(500_000).fill(0) }));
    expect(bomb.length).to.be.lessThan(2_500);
    await expectError('413 payload_too_large', send(bomb, '192.0.2.2', { 'Content-Encoding': 'gzip' }));
  });

  it('reads no body of an address that has exceeded its limit, and serves other addresses', async () => {
    const statuses: number[] = [];
    for (let request = 0; request < perMinute + 2; request += 1)
      statuses.push((await send('no JSON', '192.0.2.3')).status);
    expect(statuses).to.deep.equal([...Array(perMinute).fill(400), 429, 429]);
    const limited = await send('no JSON', '192.0.2.3');
    expect(limited.body.code).to.equal('rate_limited');
    expect(Number(limited.headers.get('retry-after'))).to.be.within(1, 60);
    expect((await send('no JSON', '192.0.2.4')).status).to.equal(400);
  });

  it('limits the forms and pages of the sign-in by the same rule', async () => {
    const address = '192.0.2.5';
    const origin = service.url;
    const post = async (path: string) => {
      const response = await fetch(`${service.url}${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'X-Forwarded-For': address, Origin: origin },
        body: 'email=nobody',
      });
      return response.status;
    };
    const visit = async (path: string) =>
      (await fetch(`${service.url}${path}`, { headers: { 'X-Forwarded-For': address }, redirect: 'manual' })).status;
    for (let request = 0; request < perMinute; request += 1) expect(await post('/sign-in')).to.equal(400);
    expect(await post('/sign-in')).to.equal(429);
    expect(await post('/sign-in/code')).to.equal(429);
    for (const path of ['/session', '/sign-in']) expect(await visit(path)).to.equal(429);
  });
});

describe('requests with an ambiguous length', () => {
  const service = Service.duringSuite({ worker: false });

  /** Everything that the service sends until it closes the connection. */
  async function responsesTo(headers: string, body: string): Promise<string> {
    const { hostname, port } = new URL(service.url);
    const socket = net.connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.write(`POST /auth/otp/send HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n${body}`);
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString();
    });
    await once(socket, 'close');
    return received;
  }
  const hidden = 'GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

  const ambiguous: Record<string, [headers: string, body: string]> = {
    'Content-Length and Transfer-Encoding': ['Content-Length: 5\r\nTransfer-Encoding: chunked', `0\r\n\r\n${hidden}`],
    'two values of Content-Length': [`Content-Length: 0\r\nContent-Length: ${hidden.length}`, hidden],
    'an unknown Transfer-Encoding': ['Transfer-Encoding: xchunked', `0\r\n\r\n${hidden}`],
    'a chunk size that is no number': ['Transfer-Encoding: chunked', `0x\r\n\r\n${hidden}`],
  };
  for (const [what, [headers, body]] of Object.entries(ambiguous))
    it(`closes the connection after a request with ${what}, and reads no second request`, async () => {
      const received = await responsesTo(headers, body);
      expect(received.match(/HTTP\/1\.1 /g)).to.have.lengthOf(1);
      expect(received).to.match(/^HTTP\/1\.1 4\d\d /);
    });
});

describe('the keys of a body', () => {
  const service = Service.duringSuite({ worker: false });

  it('returns 400 for more than 5,000 keys', async () => {
    const { api } = await service.workspace();
    const many = Object.fromEntries(Array.from({ length: 5001 }, (_, at) => [`k${at}`, 1]));
    const { status, body } = await api.post('/v1/assignments', many);
    expect([status, body.message]).to.deep.equal([400, 'has more than 5000 keys']);
  });

  it('accepts more keys in the lists of operations that take thousands of items', async () => {
    const { api } = await service.workspace();
    const reps = Array.from({ length: 3000 }, (_, at) => ({ name: `Rep ${at}`, email: `r${at}@x.io` }));
    expect((await api.put('/v1/reps', { reps })).status).to.equal(200);
  });
});
