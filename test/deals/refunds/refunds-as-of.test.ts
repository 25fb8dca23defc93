import { expect } from 'chai';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { PayWorkspace } from '../../pay/payables/pay-service.js';

interface Sums {
  readonly amounts: readonly number[];
  readonly refunds: readonly (readonly [number | null, number])[];
  readonly released: Readonly<Record<string, number>>;
}

describe('refunds at an earlier instant', () => {
  const service = Service.duringSuite();

  it('are those that were known then, with the waivers, commission and payables of then', async () => {
    const clawback = { window: { days: 180 } };
    const payout = { schedule: [{ on: 'paid', percent: 100 }] };
    const rules = [flatRule('New business', 0.1, { clawback, payout })];
    const work = await PayWorkspace.create(service, { rules });
    await work.deal('d', 1000, '2026-02-10');
    await work.invoice('d', 1000, [['2026-02-20', 600]]);
    await work.calculated();

    const now = async (): Promise<string> => {
      await work.calculated();
      const [{ at }] = await work.sql('select clock_timestamp() as at, $1::uuid as id');
      return (at as Date).toISOString();
    };
    /** What is known of the deal at the instant, or now. */
    async function read(asOf: string | null): Promise<Sums> {
      const then = asOf === null ? '' : `asOf=${asOf}`;
      const { events } = await work.api.expect(200, 'GET', `/v1/commissions?dealId=d&${then}`);
      const { refunds } = await work.api.expect(200, 'GET', `/v1/deals/d/refunds?${then}`);
      const { payables } = await work.api.expect(200, 'GET', `/v1/payables?dealId=d&${then}`);
      const released: Record<string, number> = {};
      for (const { status, amount } of payables) released[status] = (released[status] ?? 0) + amount;
      return {
        amounts: events
          .filter(({ status }: { status: string }) => status === 'earned')
          .map(({ amount }: { amount: number }) => amount)
          .toSorted((a: number, b: number) => a - b),
        refunds: refunds.map(({ amount, waivers }: { amount: number | null; waivers: { percent: number }[] }) => [
          amount,
          waivers.reduce((total, { percent }) => total + percent, 0),
        ]),
        released,
      };
    }
    const put = (amount: number) =>
      work.api.expect(200, 'PUT', '/v1/deals/d/refunds/r', { day: '2026-04-20', cause: 'refund', amount });

    const states: { at: string; known: Sums }[] = [];
    const record = async () => {
      const at = await now();
      states.push({ at, known: await read(null) });
    };
    await record();
    await put(400);
    await record();
    await work.api.expect(200, 'POST', '/v1/deals/d/refunds/r/waive', { percent: 50, reason: 'Agreed' });
    await record();
    await put(800);
    await record();
    await work.api.expect(200, 'DELETE', '/v1/deals/d/refunds/r');
    await record();
    expect(states.map(({ known: { amounts, refunds } }) => [amounts, refunds])).to.deep.equal([
      [[100], []],
      [[-40, 100], [[400, 0]]],
      [[-20, 100], [[400, 50]]],
      [[-40, 100], [[800, 50]]],
      [[100], []],
    ]);
    for (const { at, known } of states) expect(await read(at), at).to.deep.equal(known);
    const before = await work.api.get(`/v1/deals/d/refunds/r?asOf=${states[3]?.at}`);
    expect([before.status, before.body.amount]).to.deep.equal([200, 800]);
    expect((await work.api.get('/v1/deals/d/refunds/r')).status).to.equal(404);
  });
});
