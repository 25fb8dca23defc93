import { expect } from 'chai';
import { type Decision } from '#src/engine/model.js';
import { Decimal } from '#src/kernel/decimal.js';
import { computeKnownTotals, movesUntil } from '#src/ledger/input/known-totals.js';
import { type LedgerRow } from '#src/ledger/input/ledger-rows.js';
import { AffectedTotals } from '#src/ledger/output/affected-totals.js';
import { computeDifference } from '#src/ledger/output/difference.js';
import { type KnownTotals } from '#src/ledger/output/totals.js';
import { decided, storedRow } from './decided-rows.js';

const window = { from: '2026-01-10', to: '2026-03-31' };

async function stored(...decisions: Decision[]): Promise<LedgerRow[]> {
  const { writes } = await computeDifference(
    'rep',
    { stored: [], fixed: [], frozenIds: new Set() },
    { decisions, blocked: [] },
  );
  return writes.map((write) => storedRow(write, write.decision));
}

interface Run {
  /** Whether the rows before the window are carried. Default: true. */
  readonly isShortened?: boolean;
  /** Default: the end of a month, and thus of every period of terms without rules. */
  readonly to?: string;
}

/** The totals of the run that replaces the rows by the decisions. */
async function totalsAfter(
  rows: readonly LedgerRow[],
  decisions: readonly Decision[],
  { isShortened = true, to = window.to }: Run = {},
): Promise<KnownTotals | null> {
  const inWindow = rows.filter(({ earnedOn }) => earnedOn >= window.from);
  const difference = await computeDifference(
    'rep',
    { stored: inWindow, fixed: [], frozenIds: new Set() },
    { decisions, blocked: [] },
  );
  const credits = new Map([['plan|key|2026-Q1', Decimal.of('7')]]);
  const input = { stored: rows, window: { ...window, to }, ...(isShortened ? { carried: [] } : {}) };
  return computeKnownTotals(
    { repId: 'rep', versions: [], workspace: { fiscalYears: [] } },
    input,
    { credits },
    difference,
  );
}

const monthsOf = (totals: KnownTotals | null) =>
  totals?.months.map(({ commission, bonus, ...month }) => ({
    ...month,
    commission: commission.toString(),
    bonus: bonus.toString(),
  }));

describe('the totals that follow from a run', () => {
  it('are the changes of commission, bonus and deals of each month and currency', async () => {
    const rows = await stored(
      decided(),
      decided({ dealKey: 'D2', earnedOn: '2026-02-02' }),
      decided({ dealKey: 'D3', earnedOn: '2026-03-03' }),
      decided({ dealKey: 'D6' }),
    );
    const decisions = [
      decided({ dealKey: 'D6' }),
      decided({ amount: Decimal.of('70') }),
      decided({ ruleName: 'bonus', amount: Decimal.of('9'), category: 'bonus' }),
      decided({ dealKey: 'D4', amount: Decimal.of('11') }),
      decided({ dealKey: '2026-Q1', phase: 'periodic', ruleName: 'periodic', period: '2026-01' }),
      decided({ dealKey: 'D5', currency: 'EUR', amount: Decimal.of('3') }),
      decided({ dealKey: 'D2', earnedOn: '2026-02-02', amount: Decimal.of('60') }),
      decided({ dealKey: 'D3', earnedOn: '2026-03-03' }),
    ];
    const change = { repId: 'rep', currency: 'USD', bonus: '0', periods: ['2026-Q1'] };
    expect(monthsOf(await totalsAfter(rows, decisions))).to.have.deep.members([
      { ...change, month: '2026-01', commission: '81', bonus: '9', deals: 1, periods: ['2026-01', '2026-Q1'] },
      { ...change, month: '2026-01', currency: 'EUR', commission: '3', deals: 1 },
      { ...change, month: '2026-02', commission: '-40', deals: 0 },
    ]);
  });

  it('count a row that was reversed as new, and one that is reversed now as removed', async () => {
    const [first, second] = (await stored(decided(), decided({ dealKey: 'D2' }))) as [LedgerRow, LedgerRow];
    const rows: LedgerRow[] = [{ ...first, status: 'reversed' }, second];
    expect(monthsOf(await totalsAfter(rows, [decided({ amount: Decimal.of('30') })]))).to.deep.equal([
      {
        repId: 'rep',
        month: '2026-01',
        currency: 'USD',
        commission: '-70',
        bonus: '0',
        deals: 0,
        periods: ['2026-Q1'],
      },
    ]);
  });

  it('give the credit of the calculation under each key, and null for other keys', async () => {
    const totals = await totalsAfter(await stored(decided()), [decided({ amount: Decimal.of('1') })]);
    const key = { planId: 'plan', attainmentKey: 'key', period: '2026-Q1' };
    expect(totals?.findCredit(key)?.toString()).to.equal('7');
    expect(totals?.findCredit({ ...key, period: '2026-Q2' })).to.equal(null);
    expect(totals?.findCreditChange(key)).to.equal(null);
  });

  it('give only the change of the credit when the window ends within a period', async () => {
    const rows = await stored(decided(), decided({ dealKey: 'D2', credit: Decimal.of('50') }));
    const decisions = [
      decided({ credit: Decimal.of('700') }),
      decided({ dealKey: 'D3', credit: Decimal.of('4') }),
      decided({ ruleName: 'other', attainmentKey: 'other', credit: Decimal.of('9') }),
    ];
    const totals = await totalsAfter(rows, decisions, { to: '2026-03-30' });
    const changeOf = (attainmentKey: string) =>
      totals?.findCreditChange({ planId: 'plan', attainmentKey, period: '2026-Q1' })?.toString();
    expect([changeOf('key'), changeOf('other'), changeOf('unchanged')]).to.deep.equal(['-346', '9', '0']);
    expect(totals?.findCredit({ planId: 'plan', attainmentKey: 'key', period: '2026-Q1' })).to.equal(null);
  });

  it('are unknown unless the window is shortened', async () => {
    const rows = await stored(decided());
    const decisions = [decided({ amount: Decimal.of('1') })];
    expect(await totalsAfter(rows, decisions, { isShortened: false })).to.equal(null);
    expect(await totalsAfter(rows, decisions)).to.not.equal(null);
  });

  it('are unknown when a changed month has rows before the window', async () => {
    const early = decided({ dealKey: 'D0', earnedOn: '2026-01-09' });
    const change = [decided({ amount: Decimal.of('1') })];
    expect(await totalsAfter(await stored(early, decided()), change)).to.equal(null);
    const onFirstDay = decided({ dealKey: 'D0', earnedOn: window.from });
    expect(await totalsAfter(await stored(onFirstDay, decided()), [onFirstDay, ...change])).to.not.equal(null);
    const february = decided({ dealKey: 'D2', earnedOn: '2026-02-02' });
    const changed = { ...february, amount: Decimal.of('1') };
    expect(await totalsAfter(await stored(early, february), [changed])).to.not.equal(null);
  });

  it('are unknown when a month, a currency or a period may have lost its last row', async () => {
    const rows = await stored(decided());
    expect(await totalsAfter(rows, [])).to.equal(null);
    expect(await totalsAfter(rows, [decided({ currency: 'EUR' })])).to.equal(null);
    expect(await totalsAfter(rows, [decided({ period: '2026-01' })])).to.equal(null);
    expect(await totalsAfter(rows, [decided({ earnedOn: '2026-02-01' })])).to.equal(null);
    const monthly = decided({ ruleName: 'monthly', period: '2026-01' });
    expect(await totalsAfter(await stored(decided(), monthly), [decided()])).to.equal(null);
  });
});

describe('the last day that a run moves', () => {
  const terms = (cap?: number) =>
    ({ versions: [{ rules: [cap === undefined ? {} : { cap }] }], workspace: { fiscalYears: [] } }) as never;
  const january = { from: '2026-01-10', to: '2026-01-31' };

  /** Of the run that replaces the rows by the decisions, all of which it loads. */
  async function lastMoved(rows: readonly LedgerRow[], decisions: readonly Decision[], cap?: number) {
    const input = { stored: rows, fixed: [], frozenIds: new Set<string>() };
    return movesUntil(terms(cap), january, await computeDifference('rep', input, { decisions, blocked: [] }));
  }

  it('is the end of the periods whose credit has changed', async () => {
    const rows = await stored(decided());
    expect(await lastMoved(rows, [decided({ credit: Decimal.of('5') })])).to.equal('2026-03-31');
    expect(await lastMoved(rows, [])).to.equal('2026-03-31');
    expect(await lastMoved([], [decided()])).to.equal('2026-03-31');
    const annual = decided({ ruleName: 'annual', attainmentKey: 'annual', period: '2026' });
    expect(await lastMoved(rows, [decided({ credit: Decimal.of('5') }), annual])).to.equal('2026-12-31');
    expect(await lastMoved(rows, [annual, decided({ credit: Decimal.of('5') })])).to.equal('2026-12-31');
  });

  it('is none if the credit of each key is the same', async () => {
    const rows = await stored(decided(), decided({ dealKey: 'D2', credit: Decimal.of('7') }));
    expect(await lastMoved(rows, [decided(), decided({ dealKey: 'D2', credit: Decimal.of('7') })])).to.equal(null);
    const exchanged = [decided({ credit: Decimal.of('7') }), decided({ dealKey: 'D2' })];
    expect(await lastMoved(rows, exchanged)).to.equal(null);
    expect(await lastMoved(rows, [...exchanged, decided({ dealKey: 'D3', credit: Decimal.zero })])).to.equal(null);
  });

  it('is none for periods that end with the window', async () => {
    const ofJanuary = decided({ period: '2026-01' });
    expect(await lastMoved([], [ofJanuary])).to.equal(null);
    expect(await lastMoved([], [ofJanuary, decided({ dealKey: 'D2' })])).to.equal('2026-03-31');
  });

  it('is none for a period of a fiscal year that is not defined', async () => {
    expect(await lastMoved([], [decided({ period: 'FY2026-Q1' })])).to.equal(null);
  });

  it('is that of an amount too if a rule has a cap', async () => {
    const rows = await stored(decided());
    const cheaper = [decided({ amount: Decimal.of('1') })];
    expect(await lastMoved(rows, cheaper)).to.equal(null);
    expect(await lastMoved(rows, cheaper, 500)).to.equal('2026-03-31');
    expect(await lastMoved(rows, [decided({ base: Decimal.of('1') })], 500)).to.equal(null);
    const toAnotherRule = [decided({ ruleName: 'other' })];
    expect(await lastMoved(rows, toAnotherRule)).to.equal(null);
    expect(await lastMoved(rows, toAnotherRule, 500)).to.equal('2026-03-31');
  });

  it('does not count what the run takes over from other days', async () => {
    const early = await stored(decided({ earnedOn: '2026-01-09' }));
    expect(await lastMoved(early, [])).to.equal(null);
    expect(await lastMoved(early, [decided()])).to.equal('2026-03-31');
    const [row] = (await stored(decided())) as [LedgerRow];
    expect(await lastMoved([{ ...row, status: 'reversed' }], [decided()])).to.equal('2026-03-31');
  });
});

describe('the totals that changed rows affect', () => {
  const counter = { planId: 'plan', attainmentKey: 'key', period: '2026-Q1' };

  it('has each counter and each month once, in the order of the months', () => {
    const affectedTotals = new AffectedTotals('rep');
    affectedTotals.add({ ...counter, earnedOn: '2026-02-10' });
    affectedTotals.add({ ...counter, earnedOn: '2026-01-31' });
    affectedTotals.add({ ...counter, earnedOn: '2026-02-01' });
    for (const other of [{ planId: 'other' }, { attainmentKey: 'other' }, { period: '2026-01' }])
      affectedTotals.add({ ...counter, ...other, earnedOn: '2026-01-31' });
    expect(affectedTotals.counters()).to.have.deep.members([
      { repId: 'rep', ...counter },
      { repId: 'rep', ...counter, planId: 'other' },
      { repId: 'rep', ...counter, attainmentKey: 'other' },
      { repId: 'rep', ...counter, period: '2026-01' },
    ]);
    expect(affectedTotals.months()).to.deep.equal([
      { repId: 'rep', month: '2026-01' },
      { repId: 'rep', month: '2026-02' },
    ]);
    expect(affectedTotals.days()).to.deep.equal({ from: '2026-01-31', to: '2026-02-10' });
  });

  it('has no days without rows', () => {
    const affectedTotals = new AffectedTotals('rep');
    expect([affectedTotals.counters(), affectedTotals.months(), affectedTotals.days()]).to.deep.equal([[], [], null]);
  });
});
