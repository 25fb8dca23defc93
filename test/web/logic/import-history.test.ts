import { expect } from 'chai';
import { formatCounts, importTitle, listValueChanges } from '#web/features/imports/history.js';

const values = { name: 'Alder', amount: 100, currency: 'USD', stage: 'Won', closeDate: '2026-01-10', owner: 'ann' };

describe('the history of imports in words', () => {
  it('lists the values that changed, and all values of a new deal', () => {
    expect(listValueChanges({ before: values, after: { ...values, amount: 150, owner: null } })).to.deep.equal([
      'amount $100.00 → $150.00',
      'owner ann → –',
    ]);
    expect(listValueChanges({ before: values, after: values })).to.deep.equal(['other fields']);
    expect(listValueChanges({ before: null, after: { ...values, owner: null } })).to.have.length(3);
  });

  it('names the file, or where the change came from', () => {
    expect(importTitle({ fileName: 'a.csv', actor: 'rep:1' })).to.equal('a.csv');
    expect(importTitle({ fileName: null, actor: 'rep:1' })).to.equal('Edited in the app');
    expect(importTitle({ fileName: null, actor: 'key:nightly' })).to.equal('Sent by the API');
  });

  it('says what happened to the deals, without zeros', () => {
    expect(formatCounts({ created: 4990, changed: 0, rejected: 10, restored: 2 })).to.equal(
      '4,990 new, 10 rejected, 2 restored',
    );
  });
});
