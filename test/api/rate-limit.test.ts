import { expect } from 'chai';
import { newId } from '#src/kernel/ids.js';
import { createDatabase, type Database } from '#src/platform/database/pool.js';
import { PostgresRateCounter } from '#src/platform/http/postgres-rate-counter.js';
import { type RateCounter } from '#src/platform/http/rate-limit.js';
import { RedisRateCounter } from '#src/platform/http/redis-rate-counter.js';
import { createLog } from '#src/platform/log.js';
import { metrics } from '#src/platform/metrics.js';
import { type ApiClient } from '#test/support/api-client.js';
import { migrateTestDatabase } from '#test/support/migrate-test-database.js';
import { type RedisServer, startRedis } from '#test/support/redis-server.js';
import { Service } from '#test/support/service.js';
import { createTestDatabase, type TestDatabase } from '#test/support/test-database.js';
import { until } from '#test/support/until.js';

const start = Date.parse('2026-05-15T12:00:00Z');
const at = (seconds: number) => new Date(start + seconds * 1000);

/** The number of accepted requests among concurrent ones. */
async function accepted(counter: RateCounter, token: string, requests: number, moment: Date, max = 600) {
  const counted = await Promise.all(
    Array.from({ length: requests }, () => counter.count(workspaceId, token, max, moment)),
  );
  return counted.filter((one) => one.accepted).length;
}

const workspaceId = newId();

function describeCounter(name: string, open: () => Promise<RateCounter[] | null>, close: () => Promise<void>): void {
  describe(`the counter on ${name}`, () => {
    /** Two counters, as in two processes. */
    let counters: RateCounter[];

    before(async function () {
      const opened = await open();
      if (opened === null) this.skip();
      counters = opened;
    });

    after(close);

    const both = () => counters as [RateCounter, RateCounter];

    it('accepts 600 of 700 at 59.9 s and at most one of 700 at 60.1 s, over all processes', async () => {
      const token = newId();
      const [first, second] = both();
      const early = await Promise.all([first, second].map((one) => accepted(one, token, 350, at(59.9))));
      const late = await Promise.all([first, second].map((one) => accepted(one, token, 350, at(60.1))));
      expect(early.reduce((sum, one) => sum + one)).to.equal(600);
      expect(late.reduce((sum, one) => sum + one)).to.be.at.most(1);
    });

    it('never accepts more than the limit within any minute', async () => {
      const token = newId();
      const [counter] = both();
      const times: number[] = [];
      for (let second = 0; second < 200; second += 0.37) {
        const count = await accepted(counter, token, 1 + (Math.floor(second * 7) % 3), at(second), 20);
        for (let n = 0; n < count; n += 1) times.push(second);
      }
      for (const end of times) {
        const within = times.filter((time) => time > end - 60 && time <= end).length;
        expect(within, `in the minute up to ${end}`).to.be.at.most(20);
      }
      expect(times.length).to.be.at.least(60);
    });

    it('accepts again at the returned reset time', async () => {
      const token = newId();
      const [counter] = both();
      await accepted(counter, token, 2, at(0.5), 3);
      await accepted(counter, token, 1, at(30), 3);
      const rejected = await counter.count(workspaceId, token, 3, at(31));
      expect(rejected).to.include({ accepted: false, remaining: 0, resetSecond: start / 1000 + 61 });
      expect((await counter.count(workspaceId, token, 3, at(60.9))).accepted).to.equal(false);
      const again = await counter.count(workspaceId, token, 3, at(61));
      expect(again).to.include({ accepted: true, remaining: 1, resetSecond: start / 1000 + 91 });
    });

    it('returns how many requests are left, and does not count rejected ones', async () => {
      const token = newId();
      const [counter] = both();
      const remaining: number[] = [];
      for (let n = 0; n < 5; n += 1) remaining.push((await counter.count(workspaceId, token, 3, at(n))).remaining);
      expect(remaining).to.deep.equal([2, 1, 0, 0, 0]);
      expect(await accepted(counter, token, 5, at(200), 3)).to.equal(3);
    });

    it('counts each token separately', async () => {
      const [counter] = both();
      const [one, other] = [newId(), newId()];
      expect(await accepted(counter, one, 5, at(0), 3)).to.equal(3);
      expect(await accepted(counter, other, 5, at(0), 3)).to.equal(3);
    });

    it('tolerates a clock that goes back', async () => {
      const token = newId();
      const [counter] = both();
      expect(await accepted(counter, token, 2, at(100), 3)).to.equal(2);
      expect(await accepted(counter, token, 2, at(97), 3)).to.equal(1);
    });
  });
}

describe('rate limit', () => {
  let database: TestDatabase;
  let pools: Database[] = [];
  describeCounter(
    'PostgreSQL',
    async () => {
      database = await createTestDatabase({ migrate: migrateTestDatabase });
      pools = [1, 2].map(() => createDatabase({ url: database.appUrl, size: 4, onError: () => {} }));
      return pools.map((pool) => new PostgresRateCounter(pool));
    },
    async () => {
      for (const pool of pools) await pool.destroy();
      await database.drop();
    },
  );

  let redis: RedisServer | null = null;
  let onRedis: RateCounter[] = [];
  describeCounter(
    'Redis',
    async () => {
      redis = await startRedis();
      if (redis === null) return null;
      const { servers } = redis;
      onRedis = await Promise.all([1, 2].map(() => RedisRateCounter.open(servers, createLog('silent'))));
      return onRedis;
    },
    async () => {
      for (const counter of onRedis) await counter.close();
      await redis?.stop();
    },
  );

  describe('over HTTP', () => {
    const service = Service.duringSuite({ settings: { RATE_LIMIT_PER_MINUTE: '10' } });

    const limits = (answer: { headers: Headers }) =>
      ['limit', 'remaining', 'reset'].map((name) => Number(answer.headers.get(`x-ratelimit-${name}`) ?? Number.NaN));

    it('sets the limit headers on every authenticated response, errors included', async () => {
      const { api } = await service.workspace();
      const before = Date.now() / 1000;
      const answers = [
        await api.get('/v1'),
        await api.get('/v1/plans/unknown'),
        await api.post('/v1/plans', { name: '' }),
        await api.send('POST', '/v1/plans', '{'),
        await api.get('/v1/deals?limit=x'),
        await api.get('/v1/unknown'),
        await api.send('PUT', '/v1/plans'),
      ];
      expect(answers.map((answer) => answer.status)).to.deep.equal([200, 404, 400, 415, 400, 404, 405]);
      expect(answers.map((answer) => limits(answer)[0])).to.deep.equal(answers.map(() => 10));
      expect(answers.map((answer) => limits(answer)[1])).to.deep.equal([9, 8, 7, 6, 5, 4, 3]);
      const after = Date.now() / 1000;
      for (const answer of answers) expect(limits(answer)[2]).to.be.within(before, after + 62);
    });

    it('sets no limit headers on requests without a valid token', async () => {
      const anonymous = service.client(null);
      const answers = [
        await anonymous.get('/v1'),
        await anonymous.get('/v1/unknown'),
        await service.client('ws_unknown').get('/v1/unknown'),
      ];
      expect(answers.map(({ status }) => status)).to.deep.equal([401, 404, 404]);
      expect(answers.map(({ headers }) => headers.get('x-ratelimit-limit'))).to.deep.equal([null, null, null]);
    });

    it('returns 429 with Retry-After and the error body beyond the limit', async () => {
      const { api } = await service.workspace();
      const answers = await Promise.all(Array.from({ length: 25 }, () => api.get('/v1')));
      expect(answers.filter((answer) => answer.status === 200)).to.have.length(10);
      const rejected = answers.filter((answer) => answer.status === 429);
      expect(rejected).to.have.length(15);
      for (const answer of rejected) {
        expect(answer.body).to.include({ statusCode: 429, code: 'rate_limited' });
        expect(answer.body.message).to.be.a('string');
        expect(Number(answer.headers.get('retry-after'))).to.be.within(1, 61);
        expect(limits(answer)[1]).to.equal(0);
      }
      const { api: other } = await service.workspace();
      expect((await other.get('/v1')).status).to.equal(200);
    });

    it('shares the count between processes', async () => {
      const { apiKey } = await service.workspace();
      const second = await Service.start({
        settings: {
          RATE_LIMIT_PER_MINUTE: '10',
          ...service.database.environment,
        },
      });
      try {
        const apis = [service.client(apiKey), second.client(apiKey)] as [ApiClient, ApiClient];
        const answers = await Promise.all(Array.from({ length: 24 }, (_, n) => (apis[n % 2] as ApiClient).get('/v1')));
        expect(answers.filter((answer) => answer.status === 200)).to.have.length(10);
      } finally {
        await second.stop();
      }
    });
  });

  describe('with an unreachable Redis', () => {
    it('admits every request, warns once, and limits again when Redis is back', async function () {
      const server = await startRedis();
      if (server === null) this.skip();
      let again: RedisServer | null = null;
      const lines: string[] = [];
      const log = createLog('warn', { write: (line: string) => void lines.push(line) });
      const { RateLimit } = await import('#src/platform/http/rate-limit.js');
      const limit = new RateLimit(await RedisRateCounter.open(server.servers, log), 2, log);
      const caller = {
        workspaceId,
        accessLevel: 'admin',
        repId: null,
        actor: 'x',
        requestId: 'x',
        tokenId: newId(),
      } as const;
      const admitted = async () => {
        const headers = new Map<string, unknown>();
        const response = { setHeader: (name: string, value: unknown) => headers.set(name, value) };
        const outcome = await limit.admit(caller, response as never, null).then(
          () => 'admitted',
          (error) => error.code,
        );
        return { outcome, limit: headers.get('X-RateLimit-Limit') };
      };
      try {
        expect([await admitted(), await admitted(), await admitted()].map((one) => one.outcome)).to.deep.equal([
          'admitted',
          'admitted',
          'rate_limited',
        ]);
        const before = (await metrics.rateLimitUnenforced.get()).values[0]?.value ?? 0;
        await server.stop();
        for (let n = 0; n < 5; n += 1) expect(await admitted()).to.deep.equal({ outcome: 'admitted', limit: 2 });
        expect(lines).to.have.length(1);
        expect(lines[0]).to.include('requests are not limited');
        expect((await metrics.rateLimitUnenforced.get()).values[0]?.value).to.equal(before + 5);
        again = await startRedis(server.port);
        await until(async () => (await admitted()).outcome === 'rate_limited');
      } finally {
        await limit.close();
        await again?.stop();
      }
    });
  });
});
