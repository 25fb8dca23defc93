import { expect } from 'chai';
import { z } from 'zod';
import { FakeServer, hangUp, respondLate, respondWith, respondWithText } from '#fakes/fake-server.js';
import { CrmHttp, type CrmRequest, retryAfterMs } from '#src/crm/adapters/http.js';
import { type CrmAccess, fixedAccess } from '#src/crm/adapters/port.js';
import { registry } from '#src/platform/metrics.js';
import { failureOf, tokenOnly } from './crm-access.js';
import { SleptTime } from './crm-timing.js';

const pong = z.object({ pong: z.number() });

describe('requests to a CRM', () => {
  let server: FakeServer;
  let time: SleptTime;
  let http: CrmHttp;

  beforeEach(async () => {
    time = new SleptTime();
    server = new FakeServer({ now: time.now });
    server.app.all('/ping', (request, response) => {
      response.json({ pong: 1, authorization: request.headers.authorization, body: request.body });
    });
    await server.start();
    http = new CrmHttp({ provider: 'crma', temporary: [423] }, time);
  });

  afterEach(() => server.stop());

  function ping(more: Partial<CrmRequest<z.infer<typeof pong>>> = {}): CrmRequest<z.infer<typeof pong>> {
    return { method: 'GET', url: `${server.url}/ping?secret=1`, schema: pong, ...more };
  }

  const failure = (request = ping()) => failureOf(http.request(request));

  it('returns the parsed body and the time of the CRM', async () => {
    const { body, serverTime } = await http.request(ping());
    expect(body).to.deep.equal({ pong: 1 });
    expect(serverTime.toISOString()).to.equal('2026-11-21T10:00:00.000Z');
  });

  it('sends JSON and forms with their content types', async () => {
    await http.request(ping({ method: 'POST', json: { limit: 5 } }));
    await http.request(ping({ method: 'POST', form: { grant_type: 'a b&c' } }));
    expect(server.requests.map(({ body }) => body)).to.deep.equal([{ limit: 5 }, { grant_type: 'a b&c' }]);
  });

  for (const [name, answer] of [
    ['a connection that breaks', hangUp],
    ['503', respondWith(503)],
    ['a status that passes at this CRM', respondWith(423)],
    ['a page of a proxy', respondWithText(200, '<html>busy</html>')],
  ] as const)
    it(`retries after ${name}`, async () => {
      server.fault({ on: /ping/, times: 2, answer });
      await http.request(ping());
      expect(server.countRequests(/ping/)).to.equal(3);
    });

  it('counts each attempt by its outcome', async () => {
    const count = async () => {
      const metric = await registry.getSingleMetric('crm_requests_total')?.get();
      return new Map(metric?.values.map(({ labels, value }) => [`${labels['crm']} ${labels['outcome']}`, value]));
    };
    const before = await count();
    server.fault({ on: /ping/, times: 2, answer: respondWith(503) });
    await http.request(ping());
    const after = await count();
    const counted = (key: string) => (after.get(key) ?? 0) - (before.get(key) ?? 0);
    expect([counted('crma unavailable'), counted('crma succeeded')]).to.deep.equal([2, 1]);
  });

  it('retries five times with full jitter, starting at half a second', async () => {
    server.fault({ on: /ping/, answer: respondWith(500) });
    expect(await failure()).to.include({ kind: 'unavailable', retryAfterMs: null });
    expect(time.slept).to.deep.equal([500, 1000, 2000, 4000, 8000]);
    time.random = () => 0;
    await failure();
    expect(time.slept.slice(5)).to.deep.equal([0, 0, 0, 0, 0]);
  });

  it('waits for the time in Retry-After, in seconds or until a date', async () => {
    server.fault({ on: /ping/, times: 1, answer: respondWith(429, {}, { 'Retry-After': '7' }) });
    await http.request(ping());
    const date = new Date(time.now() + 3000).toUTCString();
    server.fault({ on: /ping/, times: 1, answer: respondWith(429, {}, { 'Retry-After': date }) });
    await http.request(ping());
    expect(time.slept).to.deep.equal([7000, 3000]);
  });

  it('compares a Retry-After date with the time of the CRM', async () => {
    const headers = { Date: 'Sat, 21 Nov 2026 13:00:00 GMT', 'Retry-After': 'Sat, 21 Nov 2026 13:00:02 GMT' };
    server.fault({ on: /ping/, times: 1, answer: respondWith(429, {}, headers) });
    await http.request(ping());
    expect(time.slept).to.deep.equal([2000]);
  });

  it('does not wait for more than a minute, so that the job is retried', async () => {
    server.fault({ on: /ping/, answer: respondWith(429, {}, { 'Retry-After': '61' }) });
    expect(await failure()).to.include({ kind: 'rate_limited', retryAfterMs: 61_000 });
    expect(time.slept).to.deep.equal([]);
  });

  it('spends at most a minute on one request with all its retries', async () => {
    server.fault({ on: /ping/, answer: respondWith(503, {}, { 'Retry-After': '25' }) });
    expect(await failure()).to.include({ kind: 'unavailable', retryAfterMs: 25_000 });
    expect(time.slept).to.deep.equal([25_000, 25_000]);
  });

  it('fails when the response exceeds the timeout', async () => {
    time.timeoutMs = 30;
    server.fault({ on: /ping/, answer: respondLate(2000) });
    expect((await failure()).message).to.equal('crma GET /ping: no response in time');
    // Not the requests that arrive: a busy machine may abort one before it is sent.
    expect(time.slept).to.have.length(5);
  });

  it('retries a request that is not idempotent only when it was not executed', async () => {
    const once = ping({ method: 'POST', isUnrepeatable: true });
    server.fault({ on: /ping/, times: 1, answer: respondWith(429) });
    await http.request(once);
    for (const answer of [hangUp, respondWith(503)]) {
      server.fault({ on: /ping/, times: 1, answer });
      const before = server.countRequests(/ping/);
      expect((await failure(once)).kind).to.equal('unavailable');
      expect(server.countRequests(/ping/)).to.equal(before + 1);
    }
  });

  it('does not retry a rejected request', async () => {
    for (const status of [400, 403, 409, 422]) {
      server.fault({ on: /ping/, times: 1, answer: respondWith(status) });
      expect((await failure()).kind).to.equal('rejected');
    }
    expect(server.countRequests(/ping/)).to.equal(4);
  });

  it('distinguishes a missing resource from a rejected request', async () => {
    server.fault({ on: /ping/, times: 2, answer: respondWith(404) });
    expect(await http.getOrNull(ping())).to.equal(null);
    expect((await failure()).kind).to.equal('rejected');
  });

  describe('with a token', () => {
    let renewals: string[];
    let rejected: string[];
    const access = (): CrmAccess => ({
      credentials: async () => tokenOnly('spent'),
      renewed: async ({ accessToken }) => {
        renewals.push(accessToken);
        return tokenOnly('fresh');
      },
      rejected: async ({ accessToken }) => {
        rejected.push(accessToken);
      },
    });

    beforeEach(() => {
      renewals = [];
      rejected = [];
      server.app.get('/guarded', (request, response) => {
        response.status(request.headers.authorization === 'Bearer fresh' ? 200 : 401).json({ pong: 2 });
      });
    });

    it('renews a rejected token once and retries with the new one', async () => {
      const { body } = await http.request(ping({ url: `${server.url}/guarded`, access: access() }));
      expect(body.pong).to.equal(2);
      expect(renewals).to.deep.equal(['spent']);
    });

    it('reports the connection as unauthorized after a second rejection', async () => {
      server.fault({ on: /ping/, answer: respondWith(401) });
      expect((await failure(ping({ access: access() }))).kind).to.equal('unauthorized');
      expect(renewals).to.deep.equal(['spent']);
      expect(rejected).to.deep.equal(['fresh']);
      expect(server.countRequests(/ping/)).to.equal(2);
    });

    it('reports that the token cannot be renewed', async () => {
      server.fault({ on: /ping/, answer: respondWith(401) });
      expect(await failure(ping({ access: fixedAccess(tokenOnly('spent')) }))).to.include({
        kind: 'unauthorized',
        message: 'the CRM rejected these credentials',
      });
    });

    it('never contains the token in an error', async () => {
      const secret = 'sk-very-secret';
      const faults = [respondWith(400, { secret }), respondWith(403, secret), respondWithText(200, secret), hangUp];
      for (const answer of faults) {
        const end = server.fault({ on: /ping/, answer });
        const error = await failure(ping({ access: { ...access(), credentials: async () => tokenOnly(secret) } }));
        end();
        expect(`${error.message} ${String(error.stack)} ${String(error.cause)}`).not.to.include(secret);
      }
      const broken = await failure(
        ping({ access: { ...access(), credentials: async () => tokenOnly(`${secret}\n`) } }),
      );
      expect(broken.kind).to.equal('unauthorized');
      expect(`${broken.message} ${String(broken.cause)}`).not.to.include(secret);
    });
  });

  it('does not follow a redirect', async () => {
    server.app.get('/elsewhere', (_request, response) => response.redirect(302, '/ping'));
    const error = await failure(ping({ url: `${server.url}/elsewhere` }));
    expect(error.message).to.equal('crma GET /elsewhere: the CRM responded with a redirect, which is not followed');
    expect(error.kind).to.equal('rejected');
    expect(server.countRequests(/ping/)).to.equal(0);
  });

  it('rejects a response larger than 10 MB', async () => {
    server.fault({ on: /ping/, answer: respondWith(200, { pong: 1, padding: 'x'.repeat(10 * 1024 * 1024) }) });
    expect(await failure()).to.include({
      kind: 'oversized',
      message: 'crma GET /ping: the response is larger than 10 MB',
    });
  });

  it('rejects a response of an unexpected shape and names the field without its value', async () => {
    server.fault({ on: /ping/, answer: respondWith(200, { pong: 'a deal name' }) });
    expect(await failure()).to.include({
      kind: 'rejected',
      message: 'crma GET /ping: the response has an unexpected shape at pong',
    });
  });

  it('classifies errors by the rules of the CRM', async () => {
    http = new CrmHttp(
      {
        provider: 'crma',
        classifyError: ({ status, attempt }) =>
          status === 418 ? { kind: 'rate_limited', retryAfterMs: 10 * attempt } : null,
      },
      time,
    );
    server.fault({ on: /ping/, times: 2, answer: respondWith(418) });
    await http.request(ping());
    expect(time.slept).to.deep.equal([10, 20]);
  });

  it('reads Retry-After in all its forms', () => {
    const now = Date.parse('2026-11-21T10:00:00Z');
    expect(retryAfterMs('120', now)).to.equal(120_000);
    expect(retryAfterMs('Sat, 21 Nov 2026 10:00:05 GMT', now)).to.equal(5000);
    expect(retryAfterMs('Sat, 21 Nov 2026 09:00:00 GMT', now)).to.equal(0);
    expect(retryAfterMs('2026-11-21T10:01:00Z', now)).to.equal(60_000);
    for (const header of [null, '', 'soon', '-']) expect(retryAfterMs(header, now)).to.equal(null);
  });
});
