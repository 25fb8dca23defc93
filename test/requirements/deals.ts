import { expect } from 'chai';
import { forbidden, invalid, unauthorized } from './rejections.js';
import { row } from './rows.js';
import { type Json, service } from './running-service.js';
import { exampleDeals, expectError, World } from './world.js';

/** Section 4 of the specification, deals. */
export function describeDeals(): void {
  describe('4: deals', () => {
    describeList();
    describeDeletion();
  });
}

function describeList(): void {
  let world: World;
  let last: Json;

  before(async () => {
    world = await World.create();
    const rows = Array.from({ length: 520 }, (_, index) => ({
      dealId: `Deal-${index}`,
      amount: 100 + index,
      closeDate: '2026-01-15',
      stage: index % 4 === 0 ? 'Won' : 'Negotiation',
      ownerId: index % 2 === 0 ? 'ben' : 'cat',
    }));
    await world.admin.expect(200, 'POST', '/v1/deals/import', { deals: rows });
    last = await world.deal('Newest', { ownerId: 'cat' });
  });

  const idsOf = (answer: Json) => answer.deals.map((deal: Json) => deal.deal_id);

  row(285, 'PUT stores a deal by its id: 201 when new, 200 when known', async () => {
    const body = { amount: 1234.5, closeDate: '2026-03-01', stage: 'Won', ownerId: 'ben', name: 'Alder' };
    const created = await world.admin.put('/v1/deals/Put-1', body);
    expect(created.status).to.equal(201);
    expect(created.body).to.include({
      deal_id: 'Put-1',
      name: 'Alder',
      amount: 1234.5,
      stage: 'Won',
      closeDate: '2026-03-01',
      repId: world.ids.ben,
      deleted_at: null,
    });
    const changed = await world.admin.put('/v1/deals/Put-1', { ...body, amount: 99 });
    expect([changed.status, changed.body.amount]).to.deep.equal([200, 99]);
    await world.admin.expect(200, 'DELETE', '/v1/deals/Put-1?hard=true');
  });

  row(287, 'GET returns {deals, count}', async () => {
    const { deals, count } = await world.get('/v1/deals?limit=1');
    expect(count).to.equal(521);
    expect(deals).to.have.length(1);
    expect(deals[0]).to.include.keys('deal_id', 'amount', 'stage', 'closeDate', 'repId', 'fields', 'deleted_at');
  });

  row(288, 'the default limit is 100', async () => {
    const answer = await world.get('/v1/deals');
    expect(answer.deals).to.have.length(100);
    expect(answer).to.include({ count: 521, limit: 100, offset: 0 });
  });

  row(289, 'there is one row per deal_id, the latest snapshot', async () => {
    await world.deal('Newest', { ownerId: 'cat', amount: 1 });
    last = await world.deal('Newest', { ownerId: 'cat', amount: 2 });
    const ids = [
      ...idsOf(await world.get('/v1/deals?limit=500')),
      ...idsOf(await world.get('/v1/deals?limit=500&offset=500')),
    ];
    expect(ids).to.have.length(521);
    expect(new Set(ids).size).to.equal(521);
    const { deals } = await world.get('/v1/deals?limit=1');
    expect(deals[0]).to.include({ deal_id: 'Newest', amount: 2 });
  });

  row(290, 'limit may be 500', async () => {
    expect((await world.get('/v1/deals?limit=500')).deals).to.have.length(500);
  });

  invalid(291, 'a limit over 500 is 400', () => world.admin.get('/v1/deals?limit=501'), 'limit');

  row(292, 'offset skips so many deals', async () => {
    const first = idsOf(await world.get('/v1/deals?limit=10'));
    const rest = await world.get('/v1/deals?limit=10&offset=5');
    expect(idsOf(rest).slice(0, 5)).to.deep.equal(first.slice(5));
    expect(rest).to.include({ offset: 5, count: 521 });
    expect((await world.get('/v1/deals?offset=600')).deals).to.deep.equal([]);
  });

  row(293, 'stage matches exactly', async () => {
    const { deals, count } = await world.get('/v1/deals?stage=Won&limit=500');
    expect(count).to.equal(131);
    expect(new Set(deals.map((deal: Json) => deal.stage))).to.deep.equal(new Set(['Won']));
  });

  row(294, 'stage in another case or in part matches nothing', async () => {
    for (const stage of ['won', 'Wo']) expect(await world.get(`/v1/deals?stage=${stage}`)).to.include({ count: 0 });
  });

  row(295, 'repId filters by the owner', async () => {
    const { deals, count } = await world.get(`/v1/deals?repId=${world.ids.ben}&limit=500`);
    expect(count).to.equal(260);
    expect(deals.every((deal: Json) => deal.repId === world.ids.ben)).to.equal(true);
  });

  row(296, 'since in the future finds none', async () => {
    const future = new Date(Date.now() + 3_600_000).toISOString();
    expect(await world.get(`/v1/deals?since=${future}`)).to.deep.include({ deals: [], count: 0 });
  });

  row(297, 'since in the past finds the snapshots at or after it', async () => {
    expect(await world.get('/v1/deals?since=2020-01-01T00:00:00Z')).to.include({ count: 521 });
    expect(idsOf(await world.get(`/v1/deals?since=${last.snapshotAt}`))).to.include('Newest');
  });

  invalid(298, 'since that is no timestamp is 400', () => world.admin.get('/v1/deals?since=yesterday'));
  unauthorized(299, 'GET', () => world.anyone.get('/v1/deals'));

  row(300, 'a rep sees only own deals', async () => {
    const { deals, count } = await world.ben.expect(200, 'GET', '/v1/deals?limit=500');
    expect(count).to.equal(260);
    expect(deals.every((deal: Json) => deal.repId === world.ids.ben)).to.equal(true);
  });

  forbidden(301, "a rep's request for the deals of another rep is 403", () =>
    world.ben.get(`/v1/deals?repId=${world.ids.cat}`),
  );
}

function describeDeletion(): void {
  describe('deletion', () => {
    let world: World;
    let answer: Json;

    before(async () => {
      ({ world } = await World.example());
    });

    forbidden(302, 'DELETE by a manager is 403', () => world.mgr.delete('/v1/deals/D1'));
    unauthorized(303, 'DELETE', () => world.anyone.delete('/v1/deals/D1'));

    row(304, 'DELETE reverses every earned event of the deal', async () => {
      answer = await world.admin.expect(200, 'DELETE', '/v1/deals/D3');
      expect(answer).to.deep.equal({ reversed: 1, statementLocked: false, softDeleted: true, hardDeleted: false });
    });

    row(305, 'a soft delete marks the snapshot deleted_at and takes the deal out of all figures', async () => {
      const [snapshot] = await service().sql(
        "select deleted_at from deals where workspace_id = $1 and deal_id = 'D3'",
        world.workspaceId,
      );
      expect(snapshot.deleted_at).to.be.instanceOf(Date);
      expect((await world.get('/v1/deals')).deals.map((deal: Json) => deal.deal_id)).to.have.members(['D1', 'D2']);
      expect(await world.earned()).to.deep.equal({ D1: 4800, D2: 7200 });
      expect(await world.counter('ben')).to.equal(120_000);
    });

    row(306, 'DELETE with hard=true reverses the events too', async () => {
      answer = await world.admin.expect(200, 'DELETE', '/v1/deals/D2?hard=true');
      expect(answer).to.include({ reversed: 1, statementLocked: false });
      expect(await world.earned()).to.deep.equal({ D1: 4800 });
    });

    row(307, 'hardDeleted is true with hard=true only', () => {
      expect(answer).to.include({ hardDeleted: true, softDeleted: false });
    });

    row(308, 'a hard delete removes the snapshot', async () => {
      const left = await service().sql(
        "select deal_id from deals where workspace_id = $1 and deal_id = 'D2'",
        world.workspaceId,
      );
      expect(left).to.deep.equal([]);
      await expectError('404 deal_not_found', world.admin.get('/v1/commissions?dealId=D2'));
    });

    row(286, 'DELETE of a deal in an approved period reports statementLocked true and keeps the event', async () => {
      const { world: own } = await World.example();
      await own.approve('ben', '2026-Q1');
      const locked = await own.admin.expect(200, 'DELETE', `/v1/deals/${exampleDeals[0].dealId}`);
      expect(locked).to.deep.equal({ reversed: 0, statementLocked: true, softDeleted: true, hardDeleted: false });
      expect(await own.earned()).to.deep.equal({ D1: 4800, D2: 7200, D3: 4500 });
    });
  });
}
