import { expect } from 'chai';
import { type Caller } from '#src/kernel/caller.js';
import { Failure } from '#src/kernel/failure.js';
import { DealWorld } from './deal-fixture.js';

describe('GET /v1/deals', () => {
  let world: DealWorld;
  let ann: string;
  let bob: string;

  before(async () => {
    world = await DealWorld.create();
    ann = await world.addRep('ann@x.com');
    bob = await world.addRep('bob@x.com');
    await world.put('a', { repId: ann, stage: 'Won' });
    await world.put('b', { repId: bob, stage: "50% o'clock" });
    await world.put('c', { repId: bob, stage: 'won' });
  });

  const ids = async (query: Record<string, string>, caller?: Caller) =>
    (await world.list(query, caller)).deals.map((deal) => deal.deal_id);
  const as = (accessLevel: Caller['accessLevel'], repId: string | null): Caller => ({
    ...world.admin,
    accessLevel: accessLevel,
    repId,
  });

  it('returns pages, the latest snapshot first, with the total count', async () => {
    expect(await ids({})).to.deep.equal(['c', 'b', 'a']);
    expect(await world.list({ limit: '1', offset: '1' })).to.include({ count: 3, limit: 1, offset: 1 });
    expect(await ids({ limit: '1', offset: '1' })).to.deep.equal(['b']);
    expect(await ids({ offset: '1000000000000' })).to.deep.equal([]);
  });

  it('filters by rep, exact stage and time of the latest snapshot', async () => {
    expect(await ids({ repId: bob })).to.deep.equal(['c', 'b']);
    expect(await ids({ stage: 'Won' })).to.deep.equal(['a']);
    expect(await ids({ stage: '%' })).to.deep.equal([]);
    expect(await ids({ stage: "50% o'clock" })).to.deep.equal(['b']);
    expect(await ids({ since: '2100-01-01' })).to.deep.equal([]);
    expect(await ids({ since: '2020-01-01T00:00:00+02:00' })).to.have.length(3);
  });

  it("lists only a rep's own deals for a rep", async () => {
    expect(await ids({}, as('rep', ann))).to.deep.equal(['a']);
    expect(await ids({ repId: ann }, as('rep', ann))).to.deep.equal(['a']);
    const error = await ids({ repId: bob }, as('rep', ann)).catch((failure: unknown) => failure);
    expect(error).to.be.instanceOf(Failure).with.property('code', 'forbidden');
    expect(await ids({ repId: bob }, as('manager', ann))).to.deep.equal(['c', 'b']);
    expect(await ids({}, as('connection', null))).to.have.length(3);
  });
});
