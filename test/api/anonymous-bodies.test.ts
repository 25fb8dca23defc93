import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { startTestService, type TestService } from '#test/support/test-service.js';

const perMinute = 5;

describe('bodies of requests without a token', () => {
  let service: TestService;

  before(async () => {
    service = await startTestService(
      { PUBLIC_REQUESTS_PER_MINUTE: String(perMinute), TRUST_PROXY_HOPS: '1' },
      { api: true, worker: false },
    );
  });
  after(() => service.stop());

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
    const { status, body } = await send(bomb, '192.0.2.2', { 'Content-Encoding': 'gzip' });
    expect([status, body.code]).to.deep.equal([413, 'payload_too_large']);
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
});

describe('the keys of a body', () => {
  let service: TestService;

  before(async () => {
    service = await startTestService({}, { api: true, worker: false });
  });
  after(() => service.stop());

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
