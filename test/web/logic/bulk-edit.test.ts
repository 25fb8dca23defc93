import { expect } from 'chai';
import { type Deal } from '#web/api/queries.js';
import { bulkChoices, bulkProblem, bulkRows, isCompleteValue } from '#web/features/deals/bulk-edit.js';
import { type Field } from '#web/features/plans/fields.js';

const deal = (id: string, rest: object) =>
  ({
    deal_id: id,
    name: id,
    amount: 10,
    currency: 'USD',
    stage: 'Won',
    closeDate: '2026-01-20',
    repId: 'ben',
    fields: {},
    ...rest,
  }) as unknown as Deal;
const deals = [deal('D-1', {}), deal('D-2', { stage: 'Lost', fields: { seats: 3 } })];
const fields = [
  { slug: 'stage', label: 'Stage', type: 'status' },
  { slug: 'seats', label: 'Seats', type: 'number' },
] as unknown as Field[];

describe('a value for many deals', () => {
  it('is sent for the deals that have another one', () => {
    expect(bulkRows(deals, { name: 'stage', text: 'Won' }, {}, fields)).to.deep.equal([
      { dealId: 'D-2', fields: { stage: 'Won' } },
    ]);
    expect(bulkRows(deals, { name: 'repId', text: 'ann' }, {}, fields)).to.deep.equal([
      { dealId: 'D-1', repId: 'ann', fields: {} },
      { dealId: 'D-2', repId: 'ann', fields: {} },
    ]);
  });

  it('has the type of the field, and empties only fields that are no standard value', () => {
    expect(bulkRows(deals, { name: 'seats', text: '4' }, {}, fields).map((row) => row.fields)).to.deep.equal([
      { seats: 4 },
      { seats: 4 },
    ]);
    expect(bulkRows(deals, { name: 'seats', text: '' }, {}, fields)).to.deep.equal([
      { dealId: 'D-2', fields: { seats: null } },
    ]);
    expect(isCompleteValue({ name: 'seats', text: '', isRemoved: true })).to.equal(true);
    expect(isCompleteValue({ name: 'seats', text: '' })).to.equal(false);
    expect(isCompleteValue({ name: 'stage', text: ' ' })).to.equal(false);
    expect(isCompleteValue({ name: '', text: 'x' })).to.equal(false);
  });

  it('must be readable', () => {
    expect(bulkProblem({ name: 'amount', text: 'ten' })).to.match(/number/);
    expect(bulkProblem({ name: 'closeDate', text: '120120-01-01' })).to.match(/day/);
    expect(bulkProblem({ name: 'amount', text: '1,200' })).to.equal(null);
  });

  it('is one of the common values or of another field, each listed once', () => {
    expect(bulkChoices(fields, {}).map(([name]) => name)).to.deep.equal([
      'repId',
      'stage',
      'closeDate',
      'amount',
      'currency',
      'seats',
    ]);
  });
});
