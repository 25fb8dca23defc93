import { expect } from 'chai';
import { DealWorld } from './deal-fixture.js';

describe('DELETE /v1/deals/:dealId', () => {
  let world: DealWorld;
  let ann: string;
  let boss: string;

  beforeEach(async () => {
    world = await DealWorld.create();
    ann = await world.addRep('ann@x.com');
    boss = await world.addRep('boss@x.com');
    await world.payTenPercent(ann);
    await world.payOverride(boss, ann);
    await world.put('d1', {
      repId: ann,
      amount: 1000,
      closeDate: '2026-01-10',
      sourceUpdatedAt: '2026-01-10T00:00:00Z',
    });
    await world.calculateAll();
  });

  const earned = async () => (await world.rows("select from commission_events where status = 'earned'")).length;

  it('reverses all commission on the deal before it responds', async () => {
    expect(await earned()).to.equal(2);
    expect(await world.remove('d1')).to.deep.equal({
      reversed: 2,
      statementLocked: false,
      softDeleted: true,
      hardDeleted: false,
    });
    expect(await earned()).to.equal(0);
    expect((await world.list()).count).to.equal(0);
    expect(await world.remove('d1')).to.deep.equal({
      reversed: 0,
      statementLocked: false,
      softDeleted: true,
      hardDeleted: false,
    });
    expect(await world.rows('select deleted from deal_versions order by snapshot_id')).to.deep.equal([
      { deleted: false },
      { deleted: true },
    ]);
    expect(await world.requests()).to.deep.equal([]);
  });

  it('deletes the deal and its history with hard=true, also after a soft deletion', async () => {
    await world.remove('d1');
    expect(await world.remove('d1', { hard: 'true' })).to.deep.equal({
      reversed: 0,
      statementLocked: false,
      softDeleted: false,
      hardDeleted: true,
    });
    expect(await world.rows('select from deals')).to.deep.equal([]);
    expect(await world.rows('select from deal_versions')).to.deep.equal([]);
    await world.put('d2', { repId: ann, amount: 10, closeDate: '2026-01-11' });
    await world.calculateAll();
    expect(await world.remove('d2', { hard: 'true' })).to.include({ reversed: 2, hardDeleted: true });
  });

  it('returns 404 for an unknown deal', async () => {
    const nothing = { reversed: 0, statementLocked: false, softDeleted: false, hardDeleted: false };
    expect(await world.remove('no such deal')).to.deep.equal(nothing);
    expect(await world.remove('\u0000', { hard: 'true' })).to.deep.equal(nothing);
    for (const hard of ['yes', '1', 'TRUE'])
      expect(await world.remove('d1', { hard }).catch(() => 'rejected')).to.equal('rejected');
  });

  it('is undone by a newer version of the deal and not by an older one', async () => {
    await world.remove('d1');
    const body = { repId: ann, amount: 1000, closeDate: '2026-01-10' };
    expect(await world.put('d1', { ...body, sourceUpdatedAt: '2026-01-11T00:00:00Z' })).to.include({ stale: true });
    expect((await world.list()).count).to.equal(0);
    expect(await world.put('d1', body)).to.include({ deleted_at: null });
    await world.calculateAll();
    expect(await earned()).to.equal(2);
  });
});
