import { expect } from 'chai';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { Closings } from './closings.js';
import { costsByDeal } from './cost-books.js';

describe('a bonus of a period by deal', () => {
  const service = Service.duringSuite();

  const rules = [
    flatRule('New business', 0.01),
    {
      name: 'Bonus',
      measure: 'amount',
      executionPhase: 'periodic',
      attainmentPeriod: 'quarterly',
      tiers: [{ tierIndex: 0, minThreshold: 0, flatAmount: 500 }],
    },
  ];

  /** Deals of 60,000, 60,000 and 30,000, and policies for the bonus and for the rest. */
  async function opened(terms: object): Promise<Closings> {
    const closings = await Closings.open(service, { rules });
    await closings.propose('Rest', { position: 2, treatment: 'expense' });
    await closings.ned.expect(200, 'POST', '/v1/accounting/policies/Rest/versions/1/approve');
    await closings.capitalise({ match: { ruleNames: ['Bonus'] }, ...terms });
    for (const [dealId, amount, day] of [
      ['D1', 60_000, '2026-01-15'],
      ['D2', 60_000, '2026-02-15'],
      ['D3', 30_000, '2026-03-15'],
    ] as const)
      await closings.work.deal(dealId, amount, day);
    return closings;
  }

  const column = async (closings: Closings, month: string, name: string) =>
    Object.fromEntries(
      Object.entries(await costsByDeal(closings, month)).map(([dealId, row]) => [dealId, row[name] as number]),
    );

  it('is divided by the credit of its deals where the policy says so, and is expense otherwise (A14)', async () => {
    const divided = await opened({ allocate: 'by_credit' });
    expect(await column(divided, '2026-03', 'additions')).to.deep.equal({ D1: 200, D2: 200, D3: 100 });
    const whole = await opened({});
    expect(await column(whole, '2026-03', 'additions')).to.deep.equal({});
    const lines = (await whole.books.journal('2026-03')).filter(({ ref }) => ref.includes('Bonus'));
    expect(lines.map(({ account, value }) => [account, value])).to.have.deep.members([
      ['accrued_commission', -500],
      ['commission_expense', 500],
    ]);
  });

  it('is divided again when the credit of a deal changes after its month was closed (N50)', async () => {
    const closings = await opened({ allocate: 'by_credit' });
    await closings.close('2026-01', '2026-02', '2026-03');
    await closings.work.deal('D3', 0, '2026-03-15');
    expect(await column(closings, '2026-04', 'corrections')).to.deep.equal({ D1: 50, D2: 50, D3: -100 });
    const { contractCosts } = await closings.books.get('/contract-costs?month=2026-04');
    expect(contractCosts[0].amortised).to.equal(-13.88);
    expect(await closings.books.moved('2026-04', 'accrued_commission')).to.equal(300);
  });
});
