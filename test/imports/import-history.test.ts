import { expect } from 'chai';
import { kinds } from '#src/imports/import-history.js';
import { operations } from '#src/operations.js';
import { type ApiClient } from '#test/support/api-client.js';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { flatRule, won } from '#test/support/terms.js';

const csv = { 'Content-Type': 'text/csv' };
const header = 'id,name,amount,currency,stage,close_date,owner_id';

describe('the history of imports', () => {
  const service = Service.duringSuite();
  let api: ApiClient;
  let workspaceId: string;
  let ann: string;
  let bob: string;

  beforeEach(async () => {
    ({ api, workspaceId } = await service.workspace());
    [ann, bob] = await api.saveReps('Ann', 'Bob');
    await api.createPlan({ name: 'AE', config: { dealConditions: [won], rules: [flatRule('New', 0.1)] } }, [ann, bob]);
  });

  const send = (rows: readonly string[], fileName: string) =>
    api.expect(200, 'POST', `/v1/deals/import?fileName=${fileName}`, [header, ...rows].join('\n'), csv);
  const list = async () => (await api.expect(200, 'GET', '/v1/imports')).imports;
  const takeBack = (importId: string, query = '') =>
    api.expect(200, 'POST', `/v1/imports/${importId}/take-back${query}`, {});
  /** What everyone earned, and the deals with the values that people see. */
  const state = async () => {
    await service.waitForCalculations(workspaceId);
    const { deals } = await api.expect(200, 'GET', '/v1/deals?after=');
    return {
      total: (await api.expect(200, 'GET', '/v1/commissions?period=2026')).totals.total,
      deals: deals.map(({ deal_id: id, name, amount, stage, repId, fields }: Record<string, unknown>) => ({
        id,
        name,
        amount,
        stage,
        repId,
        fields,
      })),
    };
  };

  it('names what each import of a file imports', () => {
    const ids = operations.map(({ id }) => id).filter((id) => id.startsWith('import'));
    expect(Object.keys(kinds).sort()).to.deep.equal(ids.sort());
  });

  it('restores the times of the source, so that data older than the import is not stale after it is taken back', async () => {
    const file = (amount: number, at: string) =>
      api.expect(200, 'POST', '/v1/deals/import', { deals: [{ dealId: 'd1', amount, sourceUpdatedAt: at }] });
    await file(100, '2026-03-01T00:00:00.000Z');
    await file(200, '2026-05-01T00:00:00.000Z');
    await takeBack((await list())[0].importId);
    const stored = async () => {
      const { amount, sourceUpdatedAt } = await api.expect(200, 'GET', '/v1/deals/d1');
      return [amount, sourceUpdatedAt];
    };
    expect(await stored()).to.deep.equal([100, '2026-03-01T00:00:00.000Z']);
    await file(300, '2026-04-01T00:00:00.000Z');
    expect(await stored()).to.deep.equal([300, '2026-04-01T00:00:00.000Z']);
  });

  it('lists imports of every kind with person, file, counts and control totals, the newest first', async () => {
    await send(['d1,Alder,100.10,USD,Won,2026-01-10,ann', 'd2,Birch,200,EUR,Won,2026-01-11,ann', 'd3,,x,,,,'], 'a.csv');
    const [amy] = await api.saveReps({ name: 'Amy', role: 'admin' });
    const session = await service.as(workspaceId, amy);
    await session.expect(200, 'POST', '/v1/reps/import?fileName=people.csv', 'email,name\nzoe@x.io,Zoe\n', csv);
    await api.expect(200, 'POST', '/v1/deals/import?dryRun=true', { deals: [{ dealId: 'd9', amount: 1 }] });
    const imports = await list();
    expect(imports.map(({ at: _, importId: _id, ...one }: Record<string, unknown>) => one)).to.deep.equal([
      {
        kind: 'people',
        actor: `rep:${amy}`,
        actorName: 'Amy',
        fileName: 'people.csv',
        counts: { created: 1, changed: 0, unchanged: 0, rejected: 0 },
        totals: null,
        rows: 1,
        takenBackAt: null,
      },
      {
        kind: 'deals',
        actor: 'api-key',
        actorName: 'API key',
        fileName: 'a.csv',
        counts: { created: 2, changed: 0, unchanged: 0, stale: 0, rejected: 1 },
        totals: [
          { currency: 'USD', amount: 100.1 },
          { currency: 'EUR', amount: 200 },
        ],
        rows: 2,
        takenBackAt: null,
      },
    ]);
  });

  it('states the control totals and the rows without a close date before anything is written', async () => {
    const rows = ['d1,Alder,100.10,USD,Won,2026-01-10,ann', 'd2,Birch,0.20,,Won,,ann', 'd3,Cedar,x,,,,'];
    const file = [header, ...rows].join('\n');
    const dry = await api.expect(200, 'POST', '/v1/deals/import?dryRun=true', file, csv);
    expect(dry.totals).to.deep.equal([{ currency: 'USD', rows: 2, amount: 100.3 }]);
    expect(dry.rowsWithoutCloseDate).to.equal(1);
  });

  it('shows the deals of an import with their values before and after', async () => {
    await send(['d1,Alder,100,USD,Won,2026-01-10,ann'], 'a.csv');
    await send(['d1,Alder,150,USD,Won,2026-01-10,bob', 'd2,Birch,200,USD,Won,2026-01-11,ann'], 'b.csv');
    const [{ importId }] = await list();
    const detail = await api.expect(200, 'GET', `/v1/imports/${importId}?limit=1`);
    const alder = { name: 'Alder', currency: 'USD', stage: 'Won', closeDate: '2026-01-10' };
    expect(detail.deals).to.deep.equal([
      {
        dealId: 'd1',
        before: { ...alder, amount: 100, owner: 'ann' },
        after: { ...alder, amount: 150, owner: 'bob' },
      },
    ]);
    const next = await api.expect(200, 'GET', `/v1/imports/${importId}?after=d1`);
    expect(next.deals).to.have.length(1);
    expect(next.deals[0]).to.include({ dealId: 'd2', before: null });
    expect([next.unchangedSince, next.changedSince]).to.deep.equal([2, []]);
  });

  it('takes an import back: restores what it changed, deletes what it created, and pays what it paid', async () => {
    await send(['d1,Alder,100,USD,Won,2026-01-10,ann', 'd2,Birch,200,USD,Won,2026-01-11,ann'], 'a.csv');
    await api.expect(200, 'DELETE', '/v1/deals/d2');
    const before = await state();
    await send(
      [
        'd1,Other,900,USD,Won,2026-01-10,bob',
        'd2,Birch,50,USD,Won,2026-01-11,bob',
        'd3,Cedar,70,USD,Won,2026-02-01,bob',
      ],
      'b.csv',
    );
    expect((await state()).total).to.equal(102);
    const [{ importId }] = await list();
    const dry = await takeBack(importId, '?dryRun=true&effect=true');
    expect(dry).to.include({ restored: 1, removed: 2, dryRun: true });
    expect(dry.effect.totals).to.deep.equal([{ currency: 'USD', delta: -92 }]);
    expect((await state()).total).to.equal(102);
    expect(await takeBack(importId)).to.deep.equal({ restored: 1, removed: 2, changedSince: [] });
    expect(await state()).to.deep.equal(before);
    expect((await list())[0].takenBackAt).to.be.a('string');
    await expectError('409 import_not_reversible', api.post(`/v1/imports/${importId}/take-back`, {}));
    expect(await state()).to.deep.equal(before);
    await service.expectSoundLedger(workspaceId);
  });

  it('leaves deals that were changed or deleted since, and lists them', async () => {
    await send(['d1,Alder,100,USD,Won,2026-01-10,ann'], 'a.csv');
    await send(
      [
        'd1,Alder,150,USD,Won,2026-01-10,ann',
        'd2,Birch,200,USD,Won,2026-01-11,ann',
        'd3,Cedar,1,USD,Won,2026-01-11,ann',
      ],
      'b.csv',
    );
    await api.putDeal('d1', { name: 'Alder', amount: 175, stage: 'Won', closeDate: '2026-01-10', ownerId: 'ann' });
    await api.expect(200, 'DELETE', '/v1/deals/d3');
    const [{ importId }] = await list();
    expect(await takeBack(importId)).to.deep.equal({ restored: 0, removed: 1, changedSince: ['d1', 'd3'] });
    expect((await state()).deals).to.have.length(1);
    expect((await state()).total).to.equal(17.5);
  });

  it('opens a discrepancy in an approved period, whose statement stays', async () => {
    await send(['d1,Alder,100,USD,Won,2026-01-10,ann'], 'a.csv');
    await service.waitForCalculations(workspaceId);
    await api.expect(200, 'POST', `/v1/statements/${ann}/generate`, { period: '2026-01' });
    await api.expect(200, 'POST', `/v1/statements/${ann}/approve`, { period: '2026-01', status: 'approved' });
    const [{ importId }] = await list();
    expect((await takeBack(importId, '?dryRun=true&effect=true')).effect.locked).to.deep.equal([
      { repId: ann, period: '2026-01', currency: 'USD', delta: -10 },
    ]);
    await takeBack(importId);
    await service.waitForChecks(workspaceId);
    const { discrepancies } = await api.expect(200, 'GET', '/v1/discrepancies');
    expect(discrepancies.map(({ approved, delta }: Record<string, unknown>) => [approved, delta])).to.deep.equal([
      [10, -10],
    ]);
  });

  it('rejects an unknown import', async () => {
    await expectError('404 import_not_found', api.post(`/v1/imports/${ann}/take-back`, {}));
    await expectError('404 import_not_found', api.get('/v1/imports/x'));
  });
});

describe('POST /v1/deals/delete', () => {
  const service = Service.duringSuite();
  let api: ApiClient;
  let workspaceId: string;

  beforeEach(async () => {
    ({ api, workspaceId } = await service.workspace());
    const [ann] = await api.saveReps('Ann');
    await api.createPlan({ name: 'AE', config: { dealConditions: [won], rules: [flatRule('New', 0.1)] } }, [ann]);
    const deal = { stage: 'Won', closeDate: '2026-01-10', repId: ann };
    await api.putDeal('d1', { ...deal, amount: 100 });
    await api.putDeal('d2', { ...deal, amount: 250.55, currency: 'USD' });
    await api.putDeal('d3', { ...deal, amount: 70, currency: 'EUR' });
    await api.putDeal('d4', deal);
    await service.waitForCalculations(workspaceId);
  });

  it('deletes the deals at once, and its dry run gives the effect in money', async () => {
    const dealIds = ['d1', 'd2', 'd2', 'no such deal'];
    const dry = await api.expect(200, 'POST', '/v1/deals/delete?dryRun=true&effect=true', { dealIds });
    expect(dry).to.include({ deleted: 2, notFound: 1 });
    expect(dry.effect.totals).to.deep.equal([{ currency: 'USD', delta: -35.06 }]);
    expect((await api.expect(200, 'GET', '/v1/deals')).count).to.equal(4);
    expect(await api.expect(200, 'POST', '/v1/deals/delete', { dealIds })).to.deep.equal({ deleted: 2, notFound: 1 });
    expect(await api.expect(200, 'POST', '/v1/deals/delete', { dealIds })).to.deep.equal({ deleted: 0, notFound: 3 });
    await service.waitForCalculations(workspaceId);
    expect((await api.expect(200, 'GET', '/v1/commissions?period=2026')).totals.total).to.equal(0);
    await service.expectSoundLedger(workspaceId);
  });

  it('is preceded by a list with the sums of every deal that matches, also of other pages', async () => {
    const { deals, totals } = await api.expect(200, 'GET', '/v1/deals?totals=true&limit=1&stage=Won');
    expect(deals).to.have.length(1);
    expect(totals).to.deep.equal([
      { currency: 'USD', amount: 350.55, deals: 2 },
      { currency: 'EUR', amount: 70, deals: 1 },
    ]);
    expect((await api.expect(200, 'GET', '/v1/deals?totals=true&query=d3')).totals).to.deep.equal([
      { currency: 'EUR', amount: 70, deals: 1 },
    ]);
    expect(await api.expect(200, 'GET', '/v1/deals')).not.to.have.property('totals');
  });
});
