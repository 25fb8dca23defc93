import { expect } from 'chai';
import { PayWorkspace } from '#test/pay/payables/pay-service.js';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';

interface PayPeriodMovement {
  readonly period: string | null;
  readonly currency: string;
  readonly before: number;
  readonly after: number;
  readonly delta: number;
}

/** Ben has a deal of 60,000 in January, of which the customer has paid a third in February. */
describe('the preview of a plan change in pay periods', () => {
  const service = Service.duringSuite();
  const months = ['2026-01', '2026-02', '2026-03', '2026-04'];

  async function paidInPart(options: Parameters<typeof PayWorkspace.create>[1] = {}) {
    const pay = await PayWorkspace.create(service, options);
    await pay.deal('D', 60_000, '2026-01-15');
    await pay.invoice('D', 60_000, [['2026-02-15', 20_000]]);
    return pay;
  }

  const preview = async (pay: PayWorkspace, change: object, request: object = {}) =>
    pay.api.expect(200, 'POST', `/v1/plans/${pay.planId}/preview`, { ...change, period: '2026-Q1', ...request });

  const change = (payout: object | undefined, rate = 0.08) => ({
    config: { rules: [flatRule('New business', rate, payout === undefined ? {} : { payout })] },
  });

  const moved = ({ byPayPeriod }: { byPayPeriod: readonly PayPeriodMovement[] }) =>
    byPayPeriod.map(({ period, before, after, delta }) => [period, before, after, delta]);

  /** What the statements of both people release, by month. */
  async function released(pay: PayWorkspace): Promise<Record<string, number>> {
    const amounts: Record<string, number> = {};
    for (const period of months) {
      amounts[period] = 0;
      for (const repId of [pay.ben, pay.mia]) {
        const { payable } = await pay.api.expect(200, 'GET', `/v1/statements?repId=${repId}&period=${period}`);
        for (const { amount } of payable.lines) amounts[period] += amount;
      }
    }
    return amounts;
  }

  /** Makes the change, and compares what the statements release then with what the preview has said. */
  async function expectAnnounced(pay: PayWorkspace, body: object): Promise<void> {
    const announced = await preview(pay, body);
    const before = await released(pay);
    await pay.api.expect(200, 'PATCH', `/v1/plans/${pay.planId}`, body);
    await pay.calculated();
    const after = await released(pay);
    for (const period of months) {
      const found = (announced.byPayPeriod as PayPeriodMovement[]).find((movement) => movement.period === period);
      const delta = (after[period] as number) - (before[period] as number);
      expect(found?.delta ?? 0, period).to.be.closeTo(delta, 0.001);
    }
    const total = (announced.byPayPeriod as PayPeriodMovement[]).reduce((sum, { delta }) => sum + delta, 0);
    expect(total).to.be.closeTo(announced.delta, 0.001);
  }

  it('moves what is released to other months by a new schedule, and earns the same', async () => {
    const pay = await paidInPart();
    const halves = { schedule: ['close', 'paid'].map((on) => ({ on, percent: 50 })) };
    const announced = await preview(pay, change(halves));
    expect(announced).to.include({ before: 4800, after: 4800, delta: 0, count: 0 });
    expect(moved(announced)).to.deep.equal([
      ['2026-01', 0, 2400, 2400],
      ['2026-02', 1600, 800, -800],
      [null, 3200, 1600, -1600],
    ]);
    await expectAnnounced(pay, change(halves));
  });

  it('shows the months of the parts, and another rate with them', async () => {
    const pay = await paidInPart();
    const parts = { parts: 3, everyMonths: 1 };
    expect(moved(await preview(pay, change(parts, 0.1)))).to.deep.equal([
      ['2026-01', 0, 2000, 2000],
      ['2026-02', 1600, 2000, 400],
      ['2026-03', 0, 2000, 2000],
      [null, 3200, 0, -3200],
    ]);
    await expectAnnounced(pay, change(parts, 0.1));
  });

  it('keeps what approved months have paid', async () => {
    const pay = await paidInPart();
    await pay.approve('2026-01', '2026-02');
    const now = { schedule: [{ on: 'close', percent: 100 }] };
    // The row of January keeps the version that has calculated it.
    expect(moved(await preview(pay, change(now)))).to.deep.equal([]);
  });

  it('includes managers, who follow what is released below', async () => {
    const pay = await paidInPart();
    const { api } = pay;
    await api.expect(200, 'PATCH', `/v1/reps/${pay.ben}`, { managerId: pay.mia, managerFrom: '2026-01-01' });
    const cascade = flatRule('Override', 0.2, { measure: '_earned', executionPhase: 'cascade' });
    await api.createPlan({ name: 'Managers', config: { rules: [cascade] } }, [pay.mia]);
    await pay.calculated();
    const halves = { schedule: ['close', 'paid'].map((on) => ({ on, percent: 50 })) };
    expect(moved(await preview(pay, change(halves)))).to.deep.equal([
      ['2026-01', 0, 2880, 2880],
      ['2026-02', 1920, 960, -960],
      [null, 3840, 1920, -1920],
    ]);
    await expectAnnounced(pay, change(halves, 0.1));
  });

  it('is absent while payouts are off', async () => {
    const pay = await paidInPart({ payouts: null });
    expect(await preview(pay, change(undefined, 0.1))).not.to.have.property('byPayPeriod');
  });
});
