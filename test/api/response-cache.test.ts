import { expect } from 'chai';
import { acceptInvite } from '#src/people/reps/invite-reps.js';
import { type AnyOperation } from '#src/platform/operations/operation.js';
import { type ApiClient } from '#test/support/api-client.js';
import { openTransaction } from '#test/support/open-transaction.js';
import { Service } from '#test/support/service.js';

const period = '2026-Q1';
const names = ['ana', 'ben', 'cid', 'dan'] as const;
type Name = (typeof names)[number];

/** An open deal without a close date. No calculation follows a change of it that could hide a missing invalidation. */
const open = (repId: string | null, amount: number) => ({ repId, fields: { amount, stage: 'Open' } });

describe('cached responses', () => {
  const service = Service.duringSuite();
  let workspaceId: string;
  let api: ApiClient;
  /** Operations that were executed and not returned from the cache. */
  let carriedOut: string[];
  const ids = {} as Record<Name, string>;

  let now: Date;

  before(async () => {
    const { dispatcher, clock } = service.running.service;
    const { now: readSystemClock } = clock;
    // A response of one quarter of an hour is not returned in the next, which may begin in the middle of a test.
    clock.now = () => now;
    after(() => {
      clock.now = readSystemClock;
    });
    const answer = dispatcher.execute.bind(dispatcher);
    dispatcher.execute = (operation: AnyOperation, ...rest) => {
      carriedOut.push(operation.id);
      return answer(operation, ...rest);
    };
  });

  beforeEach(async () => {
    carriedOut = [];
    now = new Date();
    ({ workspaceId, api } = await service.workspace());
    const repIds = await api.saveReps(...names.map((name) => ({ email: `${name}@acme.test`, name })));
    for (const [index, name] of names.entries()) ids[name] = repIds[index] as string;
    carriedOut = [];
  });

  const overview = () => api.expect(200, 'GET', `/v1/commissions?period=${period}`);
  const dashboard = (name: Name) => api.expect(200, 'GET', `/v1/commissions?repId=${ids[name]}&period=${period}`);
  const pipeline = async (name: Name): Promise<number> => (await dashboard(name)).openPipeline.total;
  const put = (dealId: string, body: unknown) => api.put(`/v1/deals/${dealId}`, body);

  it('are returned without a query while nothing changes', async () => {
    const first = [await dashboard('ana'), await overview()];
    expect(carriedOut).to.have.length(2);
    expect([await dashboard('ana'), await overview()]).to.deep.equal(first);
    expect(carriedOut).to.have.length(2);
  });

  it('are read again in the next quarter of an hour, with which a day may begin', async () => {
    await dashboard('ana');
    carriedOut = [];
    now = new Date(now.getTime() + 15 * 60_000);
    await dashboard('ana');
    expect(carriedOut).to.deep.equal(['getCommissions']);
  });

  it('are read again only after a change in their cache scope', async () => {
    await put('d1', open(ids.ana, 100));
    const before = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await pipeline(name)])));
    expect(before).to.deep.equal({ ana: 100, ben: 0, cid: 0, dan: 0 });
    carriedOut = [];
    await put('d1', open(ids.ana, 250));
    const after = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await pipeline(name)])));
    expect(after).to.deep.equal({ ana: 250, ben: 0, cid: 0, dan: 0 });
    // Reps share 64 cache scopes, so a response of another rep may be read again by chance, but not most of them.
    expect(carriedOut.filter((id) => id === 'getCommissions').length).to.be.within(1, 3);
  });

  it('are renewed for both owners when a deal without a close date changes its owner, loses it, or is deleted', async () => {
    await put('d1', open(ids.ana, 100));
    expect([await pipeline('ana'), await pipeline('ben')]).to.deep.equal([100, 0]);
    await put('d1', open(ids.ben, 100));
    expect([await pipeline('ana'), await pipeline('ben')]).to.deep.equal([0, 100]);
    await put('d1', open(null, 100));
    expect([await pipeline('ana'), await pipeline('ben')]).to.deep.equal([0, 0]);
    await put('d1', open(ids.ana, 300));
    expect(await pipeline('ana')).to.equal(300);
    await api.expect(200, 'DELETE', '/v1/deals/d1');
    expect(await pipeline('ana')).to.equal(0);
  });

  it('are renewed after a refund of a deal on which no one has earned, as the books read it', async () => {
    await put('d1', open(null, 100));
    await overview();
    carriedOut = [];
    await api.expect(200, 'PUT', '/v1/deals/d1/refunds/r1', { amount: 10, day: '2026-02-01', cause: 'refund' });
    carriedOut = [];
    await overview();
    expect(carriedOut).to.have.length(1);
  });

  it('are renewed after changes of deals without an owner', async () => {
    const list = async () => (await api.expect(200, 'GET', '/v1/deals')).count;
    expect(await list()).to.equal(0);
    await put('d1', open(null, 100));
    expect(await list()).to.equal(1);
    await put('d1', open(null, 100));
    carriedOut = [];
    expect(await list()).to.equal(1);
    expect(carriedOut, 'after the same was put again').to.deep.equal([]);
  });

  it('are renewed after a rep is renamed, and after direct writes to the database', async () => {
    expect((await dashboard('ana')).name).to.equal('ana');
    await api.expect(200, 'PUT', '/v1/reps', { reps: [{ email: 'ana@acme.test', name: 'Ana Ito' }] });
    expect((await dashboard('ana')).name).to.equal('Ana Ito');
    await service.sql("update reps set name = 'By hand' where rep_id = $1", ids.ana);
    expect((await dashboard('ana')).name).to.equal('By hand');
  });

  it('are not affected by a sign-in, which waits for no writer', async () => {
    await dashboard('ana');
    carriedOut = [];
    const rename = "update reps set name = 'Other' where rep_id = $1";
    const changing = await openTransaction(service.database.ownerUrl, rename, ids.ben);
    await service.running.service.unitOfWork.run({ workspaceId }, { lock: 'none', access: 'write' }, (tx) =>
      acceptInvite(tx, ids.ana),
    );
    await changing.rollback();
    await dashboard('ana');
    expect(carriedOut).to.deep.equal([]);
  });

  it('are separate for each caller: a rep receives no response cached for the admin', async () => {
    await overview();
    await dashboard('ana');
    const ben = await service.as(workspaceId, ids.ben);
    await ben.expect(403, 'GET', `/v1/commissions?period=${period}`);
    await ben.expect(403, 'GET', `/v1/commissions?repId=${ids.ana}&period=${period}`);
    await put('d1', open(ids.ana, 100));
    await put('d2', open(ids.ben, 100));
    expect((await api.expect(200, 'GET', '/v1/deals')).count).to.equal(2);
    expect((await ben.expect(200, 'GET', '/v1/deals')).count).to.equal(1);
  });

  it('are never older than the request, also under concurrent writes', async () => {
    let amount = 0;
    let putting = true;
    const clients = Array.from({ length: 6 }, async () => {
      let requestCount = 0;
      for (; putting; requestCount += 1) {
        const minAmount = amount;
        expect(await pipeline('ana')).to.be.at.least(minAmount);
      }
      return requestCount;
    });
    for (let next = 1; next <= 60; next += 1) {
      await put('d1', open(ids.ana, next));
      amount = next;
    }
    putting = false;
    expect(Math.min(...(await Promise.all(clients)))).to.be.greaterThan(0);
  });

  it('return the same errors as without the cache, and errors are not cached', async () => {
    const unknownRepId = '0198c0de-0000-7000-8000-000000000000';
    for (const path of [`/v1/commissions?repId=${unknownRepId}`, '/v1/commissions?dealId=d1'])
      for (let time = 0; time < 2; time += 1) expect((await api.get(path)).status).to.equal(404);
    await put('d1', { repId: ids.ana, closeDate: '2026-02-01', fields: { amount: 1, stage: 'Won' } });
    await api.expect(200, 'GET', '/v1/commissions?dealId=d1');
    expect((await api.get('/v1/commissions?period=tomorrow')).status).to.equal(400);
  });
});
