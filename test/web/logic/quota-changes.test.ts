import { expect } from 'chai';
import { type Quota } from '#web/api/set-up-queries.js';
import { listedEdits, without } from '#web/features/plans/period-grid.js';
import { invertChanges, listChanges, withStep } from '#web/features/plans/quota-changes.js';

const quota = (repId: string, period: string, target: number, variableTarget: number | null = null) =>
  ({ quotaId: `${repId}-${period}`, repId, period, target, variableTarget }) as Quota;
const ann = quota('ann', '2026-Q4', 275_000, 5_000);
const stored = new Map([['ann 2026-Q4', ann]]);

describe('changes of quotas', () => {
  it('are the cells that differ from what is stored; an emptied one is deleted', () => {
    expect(listChanges({ 'ann 2026-Q4': '$29,500', 'ben 2026-Q4': '10' }, stored)).to.deep.equal({
      set: [
        { repId: 'ann', period: '2026-Q4', target: 29_500 },
        { repId: 'ben', period: '2026-Q4', target: 10 },
      ],
      remove: [],
      wrong: [],
    });
    expect(listChanges({ 'ann 2026-Q4': ' ' }, stored)).to.deep.equal({ set: [], remove: ['ann-2026-Q4'], wrong: [] });
    expect(listChanges({ 'ann 2026-Q4': '275,000', 'ben 2026-Q4': 'x' }, stored)).to.deep.include({
      set: [],
      wrong: [{ repId: 'ben', period: '2026-Q4', text: 'x' }],
    });
  });

  it('of variable pay keep the target, and need one', () => {
    const cells = { 'ann 2026-Q4': '6,000', 'ben 2026-Q4': '10', 'cem 2026-Q4': 'x' };
    expect(listChanges(cells, stored, 'variableTarget')).to.deep.equal({
      set: [{ repId: 'ann', period: '2026-Q4', target: 275_000, variableTarget: 6000 }],
      remove: [],
      wrong: [
        { repId: 'ben', period: '2026-Q4', text: '10', lacksTarget: true },
        { repId: 'cem', period: '2026-Q4', text: 'x' },
      ],
    });
    expect(listChanges({ 'ann 2026-Q4': ' ' }, stored, 'variableTarget').set).to.deep.equal([
      { repId: 'ann', period: '2026-Q4', target: 275_000, variableTarget: null },
    ]);
    expect(listChanges({ 'ann 2026-Q4': '5000' }, stored, 'variableTarget').set).to.deep.equal([]);
  });

  it('are taken back with the variable target, and what they created is deleted', () => {
    const set = [
      { repId: 'ann', period: '2026-Q4', target: 1 },
      { repId: 'ben', period: '2026-Q4', target: 2 },
    ];
    const saved = [quota('ann', '2026-Q4', 1), quota('ben', '2026-Q4', 2)];
    const before = { repId: 'ann', period: '2026-Q4', target: 275_000, variableTarget: 5_000 };
    expect(invertChanges({ set, remove: [] }, [ann], saved)).to.deep.equal({ set: [before], remove: ['ben-2026-Q4'] });
    expect(invertChanges({ set: [], remove: [ann.quotaId] }, [ann], [])).to.deep.equal({ set: [before], remove: [] });
    const fixed: Quota = { ...ann, prorate: false };
    expect(invertChanges({ set: [], remove: [ann.quotaId] }, [fixed], []).set).to.deep.equal([
      { ...before, prorate: false },
    ]);
  });
});

describe('edits of people who are not listed', () => {
  // The page lists Ben. Of Ann, who has a quota, it has loaded nothing.
  const edits = { 'ann 2026-Q4': '', 'ben 2026-Q4': '10' };
  const listed = listedEdits(edits, [{ id: 'ben' }]);

  it('are no changes: whether they replace or delete a quota is not known', () => {
    expect(listChanges(listed, new Map())).to.deep.equal({
      set: [{ repId: 'ben', period: '2026-Q4', target: 10 }],
      remove: [],
      wrong: [],
    });
  });

  it('are kept by the save of those who are listed, and saved when they are listed', () => {
    expect(without(edits, listed)).to.deep.equal([{ 'ann 2026-Q4': '' }]);
    expect(listChanges(listedEdits(edits, [{ id: 'ann' }]), stored).remove).to.deep.equal([ann.quotaId]);
  });
});

describe('steps of typing that can be taken back', () => {
  const typed = (...steps: readonly Readonly<Record<string, string>>[]) => steps.reduce(withStep, []);

  it('are one for each cell, not one for each key', () => {
    expect(typed({ a: '9' }, { a: '99' }, { a: '999' })).to.deep.equal([{ a: '999' }]);
    expect(typed({ a: '9' }, { a: '99' }, { a: '99', b: '1' }, { a: '99', b: '12' })).to.deep.equal([
      { a: '99' },
      { a: '99', b: '12' },
    ]);
  });

  it('are one for each pasted block', () => {
    const pasted = typed({ a: '1', b: '2' }, { a: '3', b: '4' });
    expect(pasted).to.have.length(2);
    expect(typed({ a: '1' }, { a: '1', b: '2', c: '3' }, { a: '1', b: '5', c: '3' })).to.have.length(3);
  });
});
