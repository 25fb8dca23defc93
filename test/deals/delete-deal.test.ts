import { expect } from 'chai';
import { deleteDeals } from '#src/deals/commands/delete-deals.js';
import { setDealCredits } from '#src/deals/commands/set-deal-credits.js';
import { readCacheVersions, selectCacheVersion } from '#src/platform/database/cache-versions.js';
import { DealWorkspace } from './deal-workspace.js';

describe('DELETE /v1/deals/:dealId', () => {
  let workspace: DealWorkspace;
  let ann: string;
  let boss: string;

  beforeEach(async () => {
    workspace = await DealWorkspace.create();
    ann = await workspace.addRep('ann@x.com');
    boss = await workspace.addRep('boss@x.com');
    await workspace.payTenPercent(ann);
    await workspace.payOverride(boss, ann);
    await workspace.put('d1', {
      repId: ann,
      amount: 1000,
      closeDate: '2026-01-10',
      sourceUpdatedAt: '2026-01-10T00:00:00Z',
    });
    await workspace.calculateAll();
  });

  const earned = async () => (await workspace.db.sql("select from commission_events where status = 'earned'")).length;

  it('reverses all commission on the deal before it responds', async () => {
    expect(await earned()).to.equal(2);
    expect(await workspace.remove('d1')).to.deep.equal({
      reversed: 2,
      statementLocked: false,
      softDeleted: true,
      hardDeleted: false,
    });
    expect(await earned()).to.equal(0);
    expect((await workspace.list()).count).to.equal(0);
    expect(await workspace.remove('d1')).to.deep.equal({
      reversed: 0,
      statementLocked: false,
      softDeleted: true,
      hardDeleted: false,
    });
    expect(await workspace.db.sql('select deleted from deal_versions order by snapshot_id')).to.deep.equal([
      { deleted: false },
      { deleted: true },
    ]);
    expect(await workspace.dealRequests()).to.deep.equal([]);
  });

  it('counts a reversal once in all responses to concurrent deletions', async () => {
    const removals = await Promise.all(Array.from({ length: 6 }, () => workspace.remove('d1')));
    expect(removals.map(({ reversed }) => reversed).sort()).to.deep.equal([0, 0, 0, 0, 0, 2]);
    expect(await earned()).to.equal(0);
  });

  it('deletes the deal and its history with hard=true, also after a soft deletion', async () => {
    await workspace.remove('d1');
    expect(await workspace.remove('d1', { hard: 'true' })).to.deep.equal({
      reversed: 0,
      statementLocked: false,
      softDeleted: false,
      hardDeleted: true,
      removed: { creditLines: 0, lines: 0, refunds: 0, invoices: 0, payments: 0, corrections: 0 },
    });
    expect(await workspace.db.sql('select from deals')).to.deep.equal([]);
    expect(await workspace.db.sql('select from deal_versions')).to.deep.equal([]);
    await workspace.put('d2', { repId: ann, amount: 10, closeDate: '2026-01-11' });
    await workspace.calculateAll();
    expect(await workspace.remove('d2', { hard: 'true' })).to.include({ reversed: 2, hardDeleted: true });
  });

  it('returns 404 for an unknown deal', async () => {
    const nothing = { reversed: 0, statementLocked: false, softDeleted: false, hardDeleted: false };
    expect(await workspace.remove('no such deal')).to.deep.equal(nothing);
    expect(await workspace.remove('\u0000', { hard: 'true' })).to.deep.equal(nothing);
    for (const hard of ['yes', '1', 'TRUE'])
      expect(await workspace.remove('d1', { hard }).catch(() => 'rejected')).to.equal('rejected');
  });

  it('of many deals gives the people on credit lines a new version of their cached responses', async () => {
    const bob = await workspace.addRep('bob@x.com');
    const credits = [
      { repId: ann, percent: 70 },
      { repId: bob, percent: 30 },
    ];
    await workspace.run(setDealCredits, { params: { dealId: 'd1' }, query: {}, body: { credits } });
    const versionOf = async (repId: string) =>
      selectCacheVersion(await readCacheVersions(workspace.db.app, workspace.workspaceId), repId);
    const before = await versionOf(bob);
    await workspace.run(deleteDeals, { query: {}, body: { dealIds: ['d1'] } });
    expect(await versionOf(bob)).not.to.equal(before);
  });

  it('with hard=true lasts at most a day longer than now, whatever time the source once stated', async () => {
    await workspace.db.sql("update deals set source_updated_at = '2100-01-01' where deal_id = 'd1'");
    await workspace.remove('d1', { hard: 'true' });
    const [tombstone] = await workspace.db.sql<{ ahead: number }>(
      'select extract(epoch from purged_at - now())::float8 as ahead from deal_tombstones',
    );
    expect(tombstone?.ahead).to.be.at.most(86_400);
  });

  it('is undone by a newer version of the deal and not by an older one', async () => {
    await workspace.remove('d1');
    const body = { repId: ann, amount: 1000, closeDate: '2026-01-10' };
    expect(await workspace.put('d1', { ...body, sourceUpdatedAt: '2026-01-11T00:00:00Z' })).to.include({ stale: true });
    expect((await workspace.list()).count).to.equal(0);
    expect(await workspace.put('d1', body)).to.include({ deleted_at: null });
    await workspace.calculateAll();
    expect(await earned()).to.equal(2);
  });
});
