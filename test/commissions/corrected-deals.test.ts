import { expect } from 'chai';
import { Service } from '#test/support/service.js';
import { WorkedExample } from '#test/support/worked-example.js';

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape
type Body = any;

describe('deals that are corrected after an approval', () => {
  const service = Service.duringSuite();
  let example: WorkedExample;

  /** Ben's January is approved at 4,800 before the deal `late` arrives, which would earn 80. */
  beforeEach(async () => {
    example = await WorkedExample.create(service);
    await example.generateAndApprove('2026-01');
    await change(1000);
  });

  const read = (path: string): Promise<Body> => example.api.expect(200, 'GET', path);
  const breakdown = () => read('/v1/commissions?dealId=late');
  const closed = async () => {
    const { closedDeals } = await read(`/v1/commissions?repId=${example.ben}&period=2026-01`);
    return closedDeals.find(({ dealId }: Body) => dealId === 'late');
  };

  async function change(amount: number): Promise<void> {
    await example.deal('late', amount, '2026-01-30', { name: 'Harbour', stage: 'Closed Won' });
    await service.waitForChecks(example.workspaceId);
  }

  async function resolve(action: string): Promise<Body> {
    const { discrepancies } = await read('/v1/discrepancies?status=open');
    const { body } = await example.api.post(`/v1/discrepancies/${discrepancies[0].discrepancyId}/resolve`, {
      action,
      reason: 'agreed',
    });
    await service.waitForChecks(example.workspaceId);
    return body.result;
  }

  const line = { period: '2026-01', currency: 'USD', ruleName: 'New business', approved: 0, live: 80, delta: 80 };

  it('are owed until a person decides, in the deal, the list of deals and the statement', async () => {
    const { total, openDifferences, corrections, outcomes } = await breakdown();
    expect([total, corrections]).to.deep.equal([0, []]);
    expect(openDifferences).to.have.length(1);
    expect(openDifferences[0]).to.include({ ...line, status: 'open', repId: example.ben, repName: 'Ben' });
    expect(outcomes[0]).to.include({ paid: false, amount: 0, reason: 'statement_locked' });
    expect(await closed()).to.include({ commission: 0, corrected: 0, openDifference: 80 });
    const statement = await read(`/v1/statements?repId=${example.ben}&period=2026-01`);
    const { discrepancyId } = openDifferences[0];
    expect(statement.owed).to.include({ discrepancyId, status: 'open', delta: 80, currency: 'USD' });
    await resolve('dismiss');
    expect((await breakdown()).openDifferences[0]).to.include({ status: 'dismissed', delta: 80 });
    expect((await read(`/v1/statements?repId=${example.ben}&period=2026-01`)).owed.status).to.equal('dismissed');
  });

  it('are paid by a true-up and carried forward, in the same sum everywhere', async () => {
    const { eventId } = await resolve('true_up');
    await change(1500);
    const carried = await resolve('carry_forward');
    const { total, corrections, openDifferences, outcomes } = await breakdown();
    expect([total, openDifferences]).to.deep.equal([120, []]);
    expect(corrections).to.have.length(2);
    expect(corrections[0]).to.include({ ...line, eventId, paidIn: '2026-01' });
    expect(corrections[1]).to.include({
      approved: 80,
      live: 120,
      delta: 40,
      period: '2026-01',
      paidIn: carried.period,
    });
    expect(outcomes[0]).to.include({ paid: true, amount: 120, reason: null });
    expect(await closed()).to.include({ commission: 120, corrected: 120, openDifference: 0 });
    const { trueUp } = await read(`/v1/commissions/events/${carried.eventId}`);
    expect(trueUp).to.deep.include({ period: '2026-01', paidIn: carried.period });
    expect(trueUp.lines[0]).to.include({ dealId: 'late', dealName: 'Harbour', approved: 80, live: 120, delta: 40 });
    expect((await read(`/v1/statements?repId=${example.ben}&period=2026-01`)).owed).to.equal(undefined);
  });

  it('do not count a true-up that an unlocking has reversed', async () => {
    await resolve('true_up');
    await example.unlock('2026-01');
    await example.calculated();
    const { total, corrections } = await breakdown();
    expect([total, corrections]).to.deep.equal([80, []]);
  });

  it('keep in a dispute what was owed and paid when it was opened', async () => {
    await resolve('true_up');
    await change(1500);
    const dispute = { repId: example.ben, period: '2026-01', dealId: 'late', type: 'wrong_amount', description: 'Low' };
    const { disputeId } = await example.api.expect(201, 'POST', '/v1/disputes', dispute);
    await resolve('true_up');
    const { evidence } = await read(`/v1/disputes/${disputeId}`);
    expect(evidence.corrections.map(({ delta }: Body) => delta)).to.deep.equal([80]);
    expect(evidence.openDifferences.map(({ delta }: Body) => delta)).to.deep.equal([40]);
  });

  it('show a rep their own corrections only, also after the deal has another owner', async () => {
    await resolve('true_up');
    const zoe = await example.addRep('Zoe');
    await example.sql(`update deals set rep_id = $2 where workspace_id = $1 and deal_id = 'late'`, zoe);
    const seenBy = async (repId: string) => (await (await example.as(repId)).get('/v1/commissions?dealId=late')).body;
    const { deal, total, corrections } = await seenBy(example.ben);
    expect([deal, total, corrections.length]).to.deep.equal([null, 80, 1]);
    expect(await seenBy(zoe)).to.deep.include({ total: 0, corrections: [] });
  });
});
