import { expect } from 'chai';
import { type Discrepancy } from '#web/api/team-queries.js';
import { payAndAccept } from '#web/features/disputes/pay-and-accept.js';
import { findRelatedDifference } from '#web/features/disputes/related-difference.js';
import { payLabel } from '#web/features/disputes/words.js';

describe('the difference that may answer a question', () => {
  const difference = { discrepancyId: 'X', repId: 'dana', period: '2026-Q3', lines: [{ dealId: 'D-1' }] };
  const find = (question: { repId?: string; dealId?: string | null; period?: string }) =>
    findRelatedDifference([difference as Discrepancy], { repId: 'dana', dealId: null, period: '2026-08', ...question });

  it('is the one to which the deal of the question adds, whatever its period', () => {
    expect(find({ dealId: 'D-1', period: '2026-11' })).to.equal(difference);
    expect(find({ dealId: 'D-2' })).to.equal(null);
  });

  it('is that of a period with days of the question, if the question is about no deal', () => {
    expect(find({})).to.equal(difference);
    expect(find({ period: '2026' })).to.equal(difference);
    expect(find({ period: '2026-10' })).to.equal(null);
  });

  it('is never that of another person', () => {
    expect(find({ repId: 'omar' })).to.equal(null);
  });

  it('is paid or deducted', () => {
    expect(payLabel({ delta: 280, currency: 'USD' })).to.equal('Pay $280.00');
    expect(payLabel({ delta: -280, currency: 'USD' })).to.equal('Deduct $280.00');
  });
});

describe('paying a difference and accepting the question', () => {
  const request = { disputeId: 'Q', discrepancyId: 'X', action: 'true_up', note: 'You are right.' } as const;
  const client = (sent: string[], action: string) =>
    ({
      resolveDiscrepancy: async ({ body }: { body: { force?: boolean } }) => {
        sent.push(body.force === true ? 'pay with confirmation' : 'pay');
        return { result: { action: body.force === true ? 'trued_up' : action, approvalThreshold: 500 } };
      },
      updateDispute: async () => sent.push('accept'),
    }) as unknown as Parameters<typeof payAndAccept>[0];
  const run = async (action: string, part: { force?: boolean; isPaid?: boolean } = {}) => {
    const sent: string[] = [];
    const threshold = await payAndAccept(
      client(sent, action),
      { ...request, force: false, isPaid: false, ...part },
      () => sent.push('paid'),
    );
    return { sent, threshold };
  };

  it('pays first, and accepts what is paid', async () => {
    expect(await run('trued_up')).to.deep.equal({ sent: ['pay', 'paid', 'accept'], threshold: null });
  });

  it('accepts nothing before an amount above the threshold is confirmed', async () => {
    expect(await run('requires_approval')).to.deep.equal({ sent: ['pay'], threshold: 500 });
    const { sent } = await run('requires_approval', { force: true });
    expect(sent).to.deep.equal(['pay with confirmation', 'paid', 'accept']);
  });

  it('does not pay again if only the answer failed', async () => {
    expect(await run('trued_up', { isPaid: true })).to.deep.equal({ sent: ['accept'], threshold: null });
  });
});
