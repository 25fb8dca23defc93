import { expect } from 'chai';
import { readContract, toEnteredContract } from '#web/features/finance/entered-contract.js';

describe('a contract that is entered', () => {
  const contract = {
    dealId: 'D1',
    start: '2026-01-01',
    end: null,
    months: 36,
    terminatedOn: null,
    renewalOf: 'D0',
    value: 60_000.5,
    fields: { go_live: '2026-03-01' },
    updatedAt: '2026-01-02T08:00:00.000Z',
  };
  const { dealId: _, updatedAt: __, ...terms } = contract;
  const empty = { start: null, end: null, months: null, terminatedOn: null, renewalOf: null, value: null, fields: {} };

  it('is the stored one unless something is changed', () => {
    expect(readContract(toEnteredContract(contract))).to.deep.equal(terms);
    expect(readContract(toEnteredContract(null))).to.deep.equal(empty);
  });

  it('is not sent while a number or a day cannot be read', () => {
    const entered = toEnteredContract(contract);
    for (const wrong of [
      { months: 'three' },
      { value: 'much' },
      { days: [{ from: '', name: 'go_live' }] },
      { days: [{ from: '2026-03-01', name: ' ' }] },
    ])
      expect(readContract({ ...entered, ...wrong })).to.equal(null);
    expect(readContract({ ...entered, value: '' })).to.deep.equal({ ...terms, value: null });
  });
});
