import { expect } from 'chai';
import { type Deal } from '#web/api/queries.js';
import { dealRows } from '#web/features/deals/deal-file.js';
import { changedDeal, editedDeal, listFreeFields, listProblems } from '#web/features/deals/edited-deal.js';
import { dealImportWith } from '#web/features/imports/deals.js';
import { csvText } from '#web/features/imports/table.js';
import { type Field } from '#web/features/plans/fields.js';
import { exportedDeal } from '../../support/exported-deal.js';
import { prepared } from './samples.js';

const deal = {
  deal_id: 'D-1',
  name: 'Alder',
  amount: 9000,
  currency: 'USD',
  stage: 'Won',
  closeDate: '2026-01-20',
  repId: 'ben',
  ownerEmail: null,
  fields: { close_value: 9000, amount: 1, seats: 3, renewal: false, tags: ['a', 'b'] },
} as unknown as Deal;

const mapped = { dealAmount: 'close_value' };
const types = [
  { slug: 'seats', type: 'number' },
  { slug: 'renewal', type: 'checkbox' },
] as const;

describe('an edited deal', () => {
  const before = editedDeal(deal, mapped);
  const change = (part: object) => changedDeal(before, { ...before, ...part }, mapped, types);

  it('shows each standard value once, and no lists', () => {
    expect(before.others).to.deep.equal({ amount: '1', seats: '3', renewal: 'no' });
    expect(editedDeal(deal, {}).others).to.deep.equal({ close_value: '9000', seats: '3', renewal: 'no' });
  });

  it('sends the changed values only, under the slugs that the workspace reads', () => {
    expect(change({})).to.equal(null);
    expect(change({ amount: '12,500.50', closeDate: '2026-02-01' })).to.deep.equal({
      dealId: 'D-1',
      fields: { close_value: 12500.5, close_date: '2026-02-01' },
    });
    expect(change({ repId: 'ann' })).to.deep.equal({ dealId: 'D-1', repId: 'ann', fields: {} });
  });

  it('sends the currency of a new deal, also the one that the form suggests', () => {
    const none = editedDeal(null, {});
    expect(changedDeal(none, { ...none, dealId: 'D-2', currency: 'EUR' }, {}, [])).to.deep.equal({
      dealId: 'D-2',
      fields: { currency: 'EUR' },
    });
  });

  it('sends other fields with their type, and empty ones as null', () => {
    expect(change({ others: { ...before.others, seats: '4', renewal: 'yes', amount: '' } })).to.deep.equal({
      dealId: 'D-1',
      fields: { seats: 4, renewal: true, amount: null },
    });
  });

  it('offers the fields that it does not show yet, and no names of standard values', () => {
    const fields = ['amount', 'dealStage', 'ownerId', 'close_value', 'seats', 'region'].map((slug) => ({
      slug,
    })) as Field[];
    const slugs = listFreeFields(fields, before.others, mapped).map(({ slug }) => slug);
    expect(slugs).to.deep.equal(['region']);
  });

  it('refuses numbers and days that are none, and keeps standard values filled in', () => {
    expect(listProblems(before, { ...before, amount: 'many', closeDate: '12026-01-20', stage: ' ' })).to.have.keys([
      'amount',
      'closeDate',
      'stage',
    ]);
    expect(listProblems({ ...before, stage: '' }, { ...before, stage: '' })).to.deep.equal({});
  });
});

describe('the file of deals', () => {
  it('has a column for each field, and no text that a spreadsheet executes', () => {
    const formula = {
      ...deal,
      deal_id: '=1+1',
      name: 'Foo;=1+1',
      amount: -5,
      repId: null,
      ownerEmail: 'gone@x.test',
      fields: {},
    } as Deal;
    expect(dealRows([deal, formula], new Map([['ben', 'ben@x.test']]), mapped)).to.deep.equal([
      [
        'Deal ID',
        'Deal name',
        'Owner email',
        'Amount',
        'Currency',
        'Stage',
        'Close date',
        'amount',
        'renewal',
        'seats',
        'tags',
      ],
      ['D-1', 'Alder', 'ben@x.test', '9000', 'USD', 'Won', '2026-01-20', '1', 'false', '3', 'a, b'],
      ["'=1+1", "Foo;'=1+1", 'gone@x.test', '-5', 'USD', 'Won', '2026-01-20', '', '', '', ''],
    ]);
  });

  it('is read again by the import as suggested, under the names of the workspace', () => {
    const { standard, fields, file } = exportedDeal;
    const exported = { ...standard, deal_id: 'D-1', amount: fields.tcv, repId: 'ann', ownerEmail: null, fields };
    const slugs = { dealAmount: 'tcv' };
    const text = csvText(dealRows([exported as unknown as Deal], new Map([['ann', 'ann@x.io']]), slugs));
    const known = Object.keys(fields).map((slug) => ({ slug, label: slug, type: 'text' as const }));
    const { header, rows, problems } = prepared(dealImportWith(known), text, { context: { standard: slugs } });
    expect(problems).to.deep.equal([]);
    expect(csvText([header, ...rows.map(({ cells }) => cells)])).to.equal(file);
  });
});
