import { expect } from 'chai';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { PayWorkspace } from '../pay/payables/pay-service.js';

describe('DELETE /v1/deals/:dealId of a deal with facts', () => {
  const service = Service.duringSuite();

  /** Half of a deal of January is paid in January; 100 of it is refunded in February. */
  async function withFacts(): Promise<PayWorkspace> {
    const rule = flatRule('New business', 0.1, { payout: { schedule: [{ on: 'paid', percent: 100 }] }, clawback: {} });
    const work = await PayWorkspace.create(service, { rules: [rule] });
    const { api, ben, mia } = work;
    await work.deal('D', 1000, '2026-01-15');
    await api.expect(200, 'PUT', '/v1/deals/D/credits', {
      credits: [
        { repId: ben, percent: 60 },
        { repId: mia, percent: 40 },
      ],
    });
    await work.invoice('D', 1000, [
      ['2026-01-20', 300],
      ['2026-01-21', 200],
    ]);
    await api.expect(200, 'PUT', '/v1/deals/D/refunds/R', {
      day: '2026-02-10',
      cause: 'refund',
      amount: 100,
      reason: 'Returned',
    });
    await api.expect(200, 'PUT', '/v1/deals/D/lines', { lines: [{ lineId: '1', amount: 1000 }] });
    const corrected = { amount: 1000, closeDate: '2026-01-15', ownerId: 'ben', name: 'Corrected' };
    await api.expect(200, 'PUT', '/v1/deals/D?corrections=set', corrected);
    await work.calculated();
    return work;
  }

  async function facts({ api, workspaceId }: PayWorkspace) {
    const [counts] = await service.sql(
      `select (select count(*)::int from deal_credits where workspace_id = $1) as "creditLines",
        (select count(*)::int from deal_lines where workspace_id = $1) as lines,
        (select count(*)::int from deal_refunds where workspace_id = $1) as refunds,
        (select count(*)::int from invoices where workspace_id = $1) as invoices,
        (select count(*)::int from customer_payments where workspace_id = $1) as payments`,
      workspaceId,
    );
    const { refunds } = await api.expect(200, 'GET', `/v1/deals/D/refunds?asOf=${new Date().toISOString()}`);
    return { ...counts, listed: refunds.length };
  }

  const all = { creditLines: 2, lines: 1, refunds: 1, invoices: 1, payments: 2 };
  const remove = ({ api }: PayWorkspace, query = '') => api.delete(`/v1/deals/D${query}`);
  const earned = async (work: PayWorkspace) =>
    Promise.all(['2026-01', '2026-02'].map(async (period) => (await work.statement(period)).summary.netPayout));

  it('keeps them if it is soft, and removes and counts all of them if it is hard', async () => {
    const work = await withFacts();
    expect(await earned(work)).to.deep.equal([60, -6]);
    const soft = await remove(work);
    expect([soft.status, soft.body.removed]).to.deep.equal([200, undefined]);
    expect(await facts(work)).to.deep.equal({ ...all, listed: 1 });
    expect(await earned(work)).to.deep.equal([0, 0]);
    const hard = await remove(work, '?hard=true');
    expect([hard.status, hard.body.removed]).to.deep.equal([200, { ...all, corrections: 1 }]);
    expect(await facts(work)).to.deep.equal({
      creditLines: 0,
      lines: 0,
      refunds: 0,
      invoices: 0,
      payments: 0,
      listed: 0,
    });
    await work.deal('D', 1000, '2026-01-15');
    expect(await earned(work)).to.deep.equal([100, 0]);
    expect(await work.payable('2026-01')).to.equal(0);
    await service.expectSoundLedger(work.workspaceId);
  });

  it('takes back what a refund of a later month took back, at once', async () => {
    const work = await withFacts();
    expect((await remove(work, '?hard=true')).body).to.deep.include({ removed: { ...all, corrections: 1 } });
    expect(await earned(work)).to.deep.equal([0, 0]);
    await service.expectSoundLedger(work.workspaceId);
  });

  it('is 409 and changes nothing if a batch contains what they decided, until it is cancelled', async () => {
    const work = await withFacts();
    await work.approve('2026-01');
    const { batchId } = await work.api.expect(201, 'POST', '/v1/payout-batches', { period: '2026-01' });
    const { status, body } = await remove(work, '?hard=true');
    expect([status, body.code, body.details]).to.deep.equal([409, 'already_paid', { batchId }]);
    expect(await facts(work)).to.deep.equal({ ...all, listed: 1 });
    await work.api.expect(200, 'PATCH', `/v1/payout-batches/${batchId}`, { status: 'cancelled' });
    expect((await remove(work, '?hard=true')).status).to.equal(200);
  });

  it('is possible after a batch that contains none of them', async () => {
    const work = await PayWorkspace.create(service, { payout: null });
    await work.deal('D', 1000, '2026-01-15');
    await work.approve('2026-01');
    await work.api.expect(201, 'POST', '/v1/payout-batches', { period: '2026-01' });
    await work.invoice('D', 1000, [['2026-02-20', 1000]]);
    const { status, body } = await remove(work, '?hard=true');
    expect([status, body.statementLocked]).to.deep.equal([200, true]);
  });
});
