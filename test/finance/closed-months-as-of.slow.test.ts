import { expect } from 'chai';
import { Service } from '#test/support/service.js';
import { type Closings } from './closings.js';
import { capitalising, contract, refund } from './cost-books.js';

const year = Array.from({ length: 12 }, (_, index) => `2025-${String(index + 1).padStart(2, '0')}`);

describe('the books of an earlier instant', () => {
  const service = Service.duringSuite();

  /** Everything that the months say, as texts. */
  async function read({ work }: Closings, months: readonly string[], asOf = ''): Promise<string[]> {
    const answers = [];
    for (const month of months)
      for (const path of [
        `liability?month=${month}&groupBy=person`,
        `contract-costs?month=${month}`,
        `contract-costs?month=${month}&groupBy=deal`,
        `journals?month=${month}&limit=1000`,
        `liability/export.csv?month=${month}`,
      ]) {
        const { status, body } = await work.api.get(`/v1/accounting/${path}${asOf}`);
        expect(status).to.equal(200);
        answers.push(`${path} ${typeof body === 'string' ? body : JSON.stringify(body)}`);
      }
    return answers;
  }

  const at = () => `&asOf=${encodeURIComponent(new Date().toISOString())}`;

  it('are the same bytes after a year of later changes, of closed and of open months', async () => {
    const closings = await capitalising(
      service,
      { from: '2025-01', period: { contract: true } },
      { from: '2025-01', payouts: null },
    );
    const { books, work } = closings;
    for (const [index, month] of year.slice(0, 3).entries()) {
      const dealId = `D${index + 1}`;
      await work.deal(dealId, 60_000 + index * 7777, `${month}-15`);
      await contract(closings, { months: 30 + index }, dealId);
    }
    await closings.close('2025-01');
    const [closed, open] = [['2025-01'], ['2025-02', '2025-03']];
    const instant = at();
    const closedThen = await read(closings, closed, instant);
    const openThen = await read(closings, open, instant);
    expect(await read(closings, [...closed, ...open])).to.deep.equal([...closedThen, ...openThen]);
    for (const [index, month] of year.slice(1).entries()) {
      if (index === 1) await refund(closings, '2025-03-10', 15_000);
      if (index === 2) await contract(closings, { months: 48 }, 'D2');
      if (index === 3) await books.entity({ payrollTax: [{ from: '2025-01-01', percent: 7.65 }] });
      if (index === 4) await work.deal('D3', 10_000, '2025-03-15');
      if (index === 5) await closings.capitalise({ from: month, scope: 'all', period: { months: 20 } });
      if (index === 6) await contract(closings, { months: 31, terminatedOn: `${month}-20` }, 'D3');
      if (index === 7) await work.api.expect(200, 'DELETE', '/v1/deals/D1/refunds/R1');
      if (index === 8)
        await work.api.expect(200, 'PUT', `/v1/accounting/impairments/D1/${month}`, {
          remainingConsideration: 100,
          remainingCost: 0,
        });
      await work.deal('D1', 50_000 + index * 1000, '2025-01-15');
      await closings.close(month);
    }
    expect(await read(closings, closed)).to.deep.equal(closedThen);
    expect(await read(closings, closed, instant)).to.deep.equal(closedThen);
    for (const [index, text] of (await read(closings, open, instant)).entries()) expect(text).to.equal(openThen[index]);
    expect(await read(closings, open)).to.not.deep.equal(openThen);
  });
});
