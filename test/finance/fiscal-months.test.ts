import { expect } from 'chai';
import { Service } from '#test/support/service.js';
import { Closings } from './closings.js';
import { amortisedIn, costs } from './cost-books.js';

describe('books in fiscal months', () => {
  const service = Service.duringSuite();

  const months = ['FY2025-P11', 'FY2025-P12', 'FY2026-P01'] as const;
  /** A year of 53 weeks: its months 11 and 12 end on January 3 and on February 7. */
  const year = { year: 2025, start: '2025-02-02', pattern: '4-5-4', weeks: 53 };
  const nextYear = { year: 2026, start: '2026-02-08', pattern: '4-5-4' };
  const policy = { from: months[0], period: { months: 12 }, expedientMonths: 0 };

  async function fiscal(terms: object = {}): Promise<Closings> {
    const closings = await Closings.open(service, { payouts: null });
    await closings.work.api.expect(200, 'PUT', '/v1/fiscal-years', [year]);
    await closings.books.turnOn({ from: months[0] });
    await closings.capitalise({ ...policy, ...terms });
    await closings.work.deal('D1', 15_000, '2025-12-30');
    return closings;
  }

  it('amortise in the months of the fiscal year, also of one that is not defined (F3, N10)', async () => {
    expect(await amortisedIn(await fiscal(), ...months)).to.deep.equal([100, 100, 100]);
    const closings = await fiscal({ convention: 'daily' });
    expect(await amortisedIn(closings, ...months)).to.deep.equal([16.44, 115.07, 92.05]);
    const { current, nonCurrent, future } = await costs(closings, months[0]);
    expect([current, nonCurrent]).to.deep.equal([1183.56, 0]);
    expect(future[0]).to.deep.equal({ month: 'FY2025-P12', amount: 115.07 });
    const lines = await closings.books.get(`/journals?month=${months[1]}`);
    expect(new Set(lines.lines.map(({ day }: { day: string }) => day))).to.deep.equal(new Set(['2026-02-07']));
  });

  it('are closed in their order, and only where the fiscal year is defined', async () => {
    const closings = await fiscal();
    await closings.close(months[0], months[1]);
    const prepare = `${months[2]}/prepare`;
    expect(await closings.rejection(closings.ann, prepare)).to.deep.equal([409, 'no_fiscal_period']);
    await closings.work.api.expect(200, 'PUT', '/v1/fiscal-years', [year, nextYear]);
    await closings.close(months[2]);
    expect((await costs(closings, 'FY2026-P02')).total).to.include({ opening: 900, amortised: -100 });
    const { months: all } = await closings.books.get('/months');
    expect(all.slice(0, 4).map(({ month }: { month: string }) => month)).to.deep.equal([...months, 'FY2026-P02']);
  });

  it('have months of one form', async () => {
    const closings = await fiscal();
    expect((await closings.rejection(closings.ann, '2026-01/prepare'))[1]).to.equal('month_not_found');
    const civil = { ...Closings.policy, from: '2027-01' };
    expect((await closings.ann.post('/v1/accounting/policies/Civil/versions', civil)).status).to.equal(400);
    const other = await Closings.open(service);
    const unknown = { accounting: { enabled: true, from: 'FY2030-P01' } };
    expect((await other.work.api.patch('/v1/workspaces', unknown)).status).to.equal(400);
  });
});
