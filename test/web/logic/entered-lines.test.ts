import { expect } from 'chai';
import { newEnteredLine, readEnteredLines, toEnteredLine, withCells } from '#web/features/deals/entered-lines.js';

describe('the products of a deal in a grid', () => {
  const stored = [
    {
      lineId: 'a',
      name: 'Suite',
      productCode: 'SW-1',
      family: 'software',
      quantity: 10,
      unitPrice: 3000,
      listPrice: 4000,
      cost: 1200,
      discount: 0.25,
      amount: 30_000,
      currency: 'USD',
      startDate: '2026-03-01',
      months: 12,
      recurring: 'annual',
      fields: { region: 'EMEA' },
    },
    { lineId: '7', name: 'Training', amount: 1500.5 },
  ] as Parameters<typeof readEnteredLines>[1];
  const entered = stored.map(toEnteredLine);

  it('are sent as they were stored, with what the grid does not show', () => {
    const { lines, problems } = readEnteredLines(entered, stored);
    expect(lines).to.deep.equal(stored);
    expect([...problems]).to.deep.equal([]);
  });

  it('have other values, new rows with new ids, and none that are empty', () => {
    const changed = withCells(entered, [
      [0, 'discount', '30 %'],
      [0, 'currency', 'eur'],
      [1, 'family', ''],
      [3, 'name', 'Box'],
      [3, 'amount', '1,250.75'],
    ]);
    const { lines } = readEnteredLines(changed, stored);
    expect(lines[0]).to.include({ discount: 0.3, currency: 'EUR', cost: 1200 });
    expect(lines.slice(1)).to.deep.equal([
      { lineId: '7', name: 'Training', amount: 1500.5 },
      { lineId: '9', name: 'Box', amount: 1250.75 },
    ]);
    expect(newEnteredLine(entered)).to.deep.equal({ lineId: '8', cells: {} });
  });

  it('say beside the cell what is wrong', () => {
    const changed = withCells(entered, [
      [0, 'quantity', 'ten'],
      [0, 'startDate', '31.12.2026'],
      [0, 'currency', 'dollars'],
      [1, 'amount', ''],
    ]);
    const { problems } = readEnteredLines(changed, stored);
    expect([...problems.keys()]).to.have.members(['a quantity', 'a startDate', 'a currency', '7 amount']);
  });
});
