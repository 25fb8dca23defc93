import { expect } from 'chai';
import {
  checkFields,
  type DealContent,
  type DealTerms,
  dealBody,
  projectDeal,
  storedContent,
} from '#src/deals/deal.js';
import { type Fields } from '#src/engine/field-value.js';

const utc: DealTerms = { timeZone: 'UTC', standard: {} };
const withFields = (fields: Fields): DealContent => ({ fields, given: {} });

describe('the projection of a deal', () => {
  it('reads the default slugs of unmapped fields', () => {
    const deal = projectDeal(
      withFields({
        value: '1200.50',
        dealstage: 'Closed Won',
        closedate: '2026-03-01',
        dealname: ' Big ',
        owner: 'u1',
        currency: ' usd ',
      }),
      utc,
    );
    expect(deal).to.include({
      amount: '1200.5',
      stage: 'Closed Won',
      closeDate: '2026-03-01',
      name: 'Big',
      ownerId: 'u1',
      currency: 'USD',
      isWon: true,
      isClosed: true,
    });
  });

  it('reads only the mapped slug of a mapped field', () => {
    const terms: DealTerms = { timeZone: 'UTC', standard: { dealAmount: 'acv' } };
    expect(projectDeal(withFields({ amount: 5, acv: 7 }), terms).amount).to.equal('7');
    expect(projectDeal(withFields({ amount: 5 }), terms).amount).to.equal(null);
  });

  it('prefers a value given by its standard name', () => {
    const content: DealContent = { fields: { amount: 5, stage: 'Lost' }, given: { amount: '0.10', stage: 'Open' } };
    expect(projectDeal(content, utc)).to.include({ amount: '0.1', stage: 'Open', isClosed: false });
  });

  it('closes a deal in a stage that counts as lost', () => {
    const closed = ['Churned', 'Closed - No Decision', 'closedlost', 'deal_abandoned', 'Canceled', 'Cancelled', 'Dead'];
    const open = ['Churn risk', 'Cancellation pending', 'Proposal', 'To be closed', 'Deadline set', 'Declining'];
    const isClosed = (stage: string) => projectDeal(withFields({ stage }), utc).isClosed;
    expect(closed.filter((stage) => !isClosed(stage))).to.deep.equal([]);
    expect(open.filter(isClosed)).to.deep.equal([]);
    expect(projectDeal(withFields({ stage: 'Closed Won' }), utc)).to.include({ isClosed: true, isWon: true });
  });

  it('is won and closed as the CRM says about its own stage, otherwise by the name of the stage', () => {
    const fields = { stage: '99462', is_won: true, is_closed: true, phase: 'Talking' };
    expect(projectDeal(withFields(fields), utc)).to.include({ isClosed: true, isWon: true });
    const notWon = { stage: 'Won back later', is_won: false, is_closed: 'false' };
    expect(projectDeal(withFields(notWon), utc)).to.include({ isClosed: false, isWon: false });
    const mapped = { ...utc, standard: { dealStage: 'phase' } };
    expect(projectDeal(withFields(fields), mapped)).to.include({ isClosed: false, isWon: false });
    expect(projectDeal(withFields({ stage: 'Won', is_won: null }), utc)).to.include({ isClosed: true, isWon: true });
  });

  it("converts an instant to the day in the workspace's time zone", () => {
    const content = withFields({ closeDate: '2026-03-31T23:30:00Z' });
    expect(projectDeal(content, utc).closeDate).to.equal('2026-03-31');
    expect(projectDeal(content, { ...utc, timeZone: 'Pacific/Auckland' }).closeDate).to.equal('2026-04-01');
  });

  it('reads an invalid value as null', () => {
    for (const amount of ['1,000', 'NaN', '', ' ', true, null, '1.1e15', ['5']])
      expect(projectDeal(withFields({ amount }), utc).amount).to.equal(null);
    for (const closeDate of ['3/1/2026', '2026-02-30', 1_760_000_000, '1899-12-31'])
      expect(projectDeal(withFields({ closeDate }), utc).closeDate).to.equal(null);
    expect(projectDeal(withFields({ owner: 'x'.repeat(501) }), utc).ownerId).to.equal(null);
  });

  it('keeps an invalid currency, so that it matches no plan', () => {
    expect(projectDeal(withFields({ currency: 'Euro' }), utc).currency).to.equal('Euro');
  });

  it('ignores inherited properties', () => {
    expect(projectDeal(withFields({}), { timeZone: 'UTC', standard: { dealName: 'toString' } }).name).to.equal(null);
  });
});

describe('the content hash of a deal', () => {
  it('does not depend on the order of the fields', () => {
    expect(storedContent(withFields({ b: 1, a: [null as never] })).hash).to.equal(
      storedContent(withFields({ a: [null as never], b: 1 })).hash,
    );
    expect(storedContent(withFields({ a: '1' })).hash).not.to.equal(storedContent(withFields({ a: 1 })).hash);
  });

  it('rejects content beyond its limits', () => {
    expect(checkFields({ ok: 'fine', list: ['a'] })).to.equal(null);
    expect(checkFields({ bad: 'a\u001fb' })?.slug).to.equal('bad');
    expect(checkFields({ bad: '\ud800' })?.slug).to.equal('bad');
    expect(checkFields({ long: 'x'.repeat(10_001) })?.slug).to.equal('long');
    expect(checkFields({ list: new Array(201).fill('x') })?.slug).to.equal('list');
    expect(checkFields(Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`f${index}`, 1])))).not.to.equal(
      null,
    );
    const full = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`${index}`, 'x'.repeat(8191)]));
    expect(checkFields(full)).to.equal(null);
    expect(checkFields({ ...full, a: 1 })).to.deep.equal({
      slug: '',
      message: 'holds more than 65536 characters in all fields',
    });
  });

  it('rejects unknown names, objects as fields, and invalid values of standard names', () => {
    for (const body of [
      { amonut: 5 },
      { fields: { a: {} } },
      { fields: { a: [1] } },
      { amount: 'NaN' },
      { amount: 1.1e15 },
      { closeDate: '2026-02-30' },
      { currency: 'usd' },
      { repId: 'x' },
      { sourceUpdatedAt: 'yesterday' },
      { fields: { a: Number.POSITIVE_INFINITY } },
    ]) {
      expect(dealBody.safeParse(body).success, JSON.stringify(body)).to.equal(false);
    }
  });
});
