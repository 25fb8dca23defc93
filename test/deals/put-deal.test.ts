import { expect } from 'chai';
import { Failure } from '#src/kernel/failure.js';
import { newId } from '#src/kernel/ids.js';
import { DealWorkspace } from './deal-workspace.js';

describe('PUT /v1/deals/:dealId', () => {
  let workspace: DealWorkspace;
  let ann: string;
  let bob: string;

  beforeEach(async () => {
    workspace = await DealWorkspace.create();
    ann = await workspace.addRep('ann@x.com', 'm-ann');
    bob = await workspace.addRep('bob@x.com');
  });

  const snapshots = () =>
    workspace.db.sql<{ deal_id: string; deleted: boolean }>('select * from deal_versions order by snapshot_id');

  it('stores a new deal, returns 201 and requests a calculation of its owner', async () => {
    const fields = {
      amount: '100.10',
      stage: 'Closed Won',
      close_date: '2026-02-03',
      owner_id: 'm-ann',
      tags: ['a', 'b'],
      nothing: null,
    };
    const { status, body: deal } = await workspace.putResponse('d/1', { fields });
    expect(status).to.equal(201);
    expect(deal).to.include({
      deal_id: 'd/1',
      amount: 100.1,
      stage: 'Closed Won',
      closeDate: '2026-02-03',
      repId: ann,
      repName: 'ann@x.com',
      isWon: true,
      deleted_at: null,
    });
    expect(deal.fields).to.deep.equal(fields);
    expect(await workspace.dealRequests()).to.deep.equal([
      { rep_id: ann, from: '2026-02-03', to: '2026-02-03', trigger: 'deal_change', deal_id: 'd/1', job_id: null },
    ]);
    expect(workspace.db.woken).to.deep.equal([ann]);
  });

  it('replaces the whole deal, and writes nothing when it does not change', async () => {
    await workspace.put('d1', { fields: { a: 1, b: 2 }, name: 'One', repId: ann, closeDate: '2026-01-01' });
    await workspace.put('d1', { fields: { b: 2, a: 1 }, name: 'One', repId: ann, closeDate: '2026-01-01' });
    expect(await snapshots()).to.have.length(1);
    expect(await workspace.dealRequests()).to.have.length(1);
    const { status, body: deal } = await workspace.putResponse('d1', { fields: { c: 3 } });
    expect(status).to.equal(200);
    expect(deal).to.include({ name: null, repId: null, closeDate: null });
    expect(deal.fields).to.deep.equal({ c: 3 });
    expect(await snapshots()).to.have.length(2);
  });

  it('rejects an amount beyond 10^15 in the standard field, in the default fields and in the mapped field', async () => {
    const rejected = async (body: object) => {
      const failure = await workspace.put('d1', body).catch((error: unknown) => error);
      expect(failure, JSON.stringify(body)).to.be.instanceOf(Failure).with.property('code', 'VALIDATION_FAILED');
      return (failure as Failure).details?.['issues'];
    };
    await rejected({ amount: 1.1e15 });
    for (const amount of [1e18, '-1e400', '1000000000000001'])
      expect(JSON.stringify(await rejected({ fields: { amount } }))).to.contain('"fields.amount"');
    await rejected({ fields: { value: 1e18 } });
    expect(await workspace.put('d1', { fields: { amount: '1e15', seats: '123456789012345678' } })).to.include({
      amount: 1e15,
    });
  });

  it('finds the owner by rep id, then by CRM member id, then by e-mail', async () => {
    const owner = async (body: object) => (await workspace.put(newId(), body)).repId;
    expect(await owner({ repId: bob, ownerId: 'm-ann' })).to.equal(bob);
    expect(await owner({ ownerId: ' m-ann ', ownerEmail: 'bob@x.com' })).to.equal(ann);
    expect(await owner({ ownerId: 'unknown', ownerEmail: 'BOB@x.com' })).to.equal(bob);
    expect(await owner({ ownerEmail: 'who@x.com' })).to.equal(null);
    const error = await owner({ repId: newId() }).catch((failure: unknown) => failure);
    expect(error).to.be.instanceOf(Failure).with.property('code', 'rep_not_found');
  });

  it('ignores a version that is older than the stored one', async () => {
    await workspace.put('d1', { name: 'new', sourceUpdatedAt: '2026-01-02T00:00:00Z' });
    const answer = await workspace.put('d1', { name: 'old', sourceUpdatedAt: '2026-01-01T00:00:00+00:00' });
    expect(answer).to.include({ stale: true, name: 'new' });
    expect(await workspace.put('d1', { name: 'equal', sourceUpdatedAt: '2026-01-02T00:00:00Z' }))
      .to.include({ name: 'equal' })
      .and.not.have.property('stale');
    expect(await workspace.put('d1', { name: 'timeless' })).to.include({
      name: 'timeless',
      sourceUpdatedAt: '2026-01-02T00:00:00.000Z',
    });
    expect(await workspace.put('d1', { name: 'old', sourceUpdatedAt: '2026-01-01T00:00:00Z' })).to.include({
      stale: true,
    });
  });

  it('rejects a time more than a day in the future, which would make every later version stale', async () => {
    const ahead = (hours: number) => ({ sourceUpdatedAt: new Date(Date.now() + hours * 3_600_000).toISOString() });
    const error = await workspace.put('d1', { name: 'a', ...ahead(25) }).catch((failure: unknown) => failure);
    expect(error).to.be.instanceOf(Failure).with.property('code', 'VALIDATION_FAILED');
    expect(await workspace.put('d1', { name: 'a', ...ahead(23) })).to.include({ name: 'a' });
  });

  it('stores the later time of an unchanged deal', async () => {
    await workspace.put('d1', { name: 'a', sourceUpdatedAt: '2026-01-01T00:00:00Z' });
    await workspace.put('d1', { name: 'a', sourceUpdatedAt: '2026-01-03T00:00:00Z' });
    expect(await snapshots()).to.have.length(1);
    expect(await workspace.put('d1', { name: 'b', sourceUpdatedAt: '2026-01-02T00:00:00Z' })).to.include({
      stale: true,
      name: 'a',
    });
  });

  it('requests a calculation of both owners on the days of their deals, and of everyone who earned', async () => {
    const boss = await workspace.addRep('boss@x.com');
    await workspace.payTenPercent(ann, bob);
    await workspace.payOverride(boss, ann);
    await workspace.put('d1', { repId: ann, amount: 1000, closeDate: '2026-01-10' });
    await workspace.calculateAll();
    await workspace.put('d1', { repId: bob, amount: 1000, closeDate: '2026-04-20' });
    expect((await workspace.dealRequests()).map((one) => [one.rep_id, one.from, one.to])).to.have.deep.members([
      [ann, '2026-01-10', '2026-01-10'],
      [bob, '2026-04-20', '2026-04-20'],
      [boss, '2026-01-10', '2026-01-10'],
    ]);
    await workspace.calculateAll();
    const events = await workspace.db.sql<{ rep_id: string }>(
      "select rep_id from commission_events where status = 'earned'",
    );
    expect(events).to.deep.equal([{ rep_id: bob }]);
  });

  it('requests all days between the old and the new close date', async () => {
    await workspace.put('d1', { repId: ann, closeDate: '2026-05-01' });
    await workspace.deleteRequests();
    await workspace.put('d1', { repId: ann, closeDate: '2026-01-15' });
    expect((await workspace.dealRequests()).map((one) => [one.rep_id, one.from, one.to])).to.deep.equal([
      [ann, '2026-01-15', '2026-05-01'],
    ]);
    await workspace.put('d2', { repId: ann });
    expect(await workspace.dealRequests()).to.have.length(1);
  });

  it('stores a snapshot of each concurrent version, the newest last', async () => {
    const days = Array.from({ length: 20 }, (_, day) => `2026-01-${String(day + 1).padStart(2, '0')}`);
    const shuffled = days.slice().sort((a, b) => ((a.charCodeAt(9) * 7) % 11) - ((b.charCodeAt(9) * 7) % 11));
    await Promise.all(
      shuffled.map((day) =>
        workspace.put('d1', { repId: ann, name: day, closeDate: day, sourceUpdatedAt: `${day}T00:00:00Z` }),
      ),
    );
    const page = await workspace.list();
    expect(page.deals.map((deal) => deal.name)).to.deep.equal(['2026-01-20']);
    expect(await workspace.db.sql('select from deals')).to.have.length(1);
  });

  it('rejects ids that cannot be stored', async () => {
    for (const dealId of ['', 'a\u0000', 'x'.repeat(201)]) {
      expect(await workspace.put(dealId, {}).catch(() => 'rejected')).to.equal('rejected');
    }
  });
});
