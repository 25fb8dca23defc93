import { expect } from 'chai';
import { type DealLine, isLineSlug, lineReader } from '#src/engine/deal-line.js';
import { fieldReader } from '#src/engine/slug.js';

const line: DealLine = {
  lineId: '1',
  productCode: 'SW-1',
  family: 'software',
  amount: '30000.00',
  quantity: '12.0',
  fields: { Region: 'EMEA', amount: 5 },
};

describe('the fields of a line', () => {
  it('are read by their slugs in any case, those of every line before its own', () => {
    const values = ['amount', 'AMOUNT', 'quantity', 'product_code', 'region', 'REGION', 'unit_price', 'seats'];
    expect(values.map((name) => lineReader(name)(line))).to.deep.equal([
      '30000',
      '30000',
      '12',
      'SW-1',
      'EMEA',
      'EMEA',
      undefined,
      undefined,
    ]);
  });

  it('are named by slugs that begin with line.', () => {
    expect(['line.amount', 'LINE.amount', 'lines.count', 'amount', 'line'].map(isLineSlug)).to.deep.equal([
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  it('are summarized on the deal by the distinct families and products', () => {
    const lines = [line, { ...line, lineId: '2' }, { lineId: '3', amount: null, family: 'services' }];
    const read = (slug: string, fields = {}) =>
      fieldReader(slug, {}, {})({ dealId: 'd', closeDate: '2026-01-01', fields, standard: {}, lines });
    expect(read('lines.count')).to.equal(3);
    expect(read('Lines.Families')).to.deep.equal(['software', 'services']);
    expect(read('lines.products')).to.deep.equal(['SW-1']);
    expect(read('lines.products', { 'lines.products': 'A' })).to.equal('A');
  });
});
