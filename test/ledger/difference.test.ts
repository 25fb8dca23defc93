import { expect } from 'chai';
import { type BlockedChange, type Decision, type FixedEvent } from '#src/engine/model.js';
import { Decimal } from '#src/kernel/decimal.js';
import { EventLoopSlice } from '#src/kernel/waiting.js';
import { type LedgerRow } from '#src/ledger/input/ledger-rows.js';
import { computeDifference, isSameCredit, type Write } from '#src/ledger/output/difference.js';
import { decided, storedRow } from './decided-rows.js';

interface Stored {
  readonly stored?: readonly LedgerRow[];
  readonly fixed?: readonly FixedEvent[];
  readonly frozenIds?: ReadonlySet<string>;
  readonly blocked?: readonly BlockedChange[];
}

const compare = (
  decisions: readonly Decision[],
  { stored = [], fixed = [], frozenIds = new Set(), blocked = [] }: Stored = {},
) => computeDifference('rep', { stored, fixed, frozenIds }, { decisions, blocked });

async function writeOf(decision: Decision, stored?: LedgerRow): Promise<Write> {
  const { writes } = await compare([decision], stored === undefined ? {} : { stored: [stored] });
  expect(writes).to.have.length(1);
  return writes[0] as Write;
}

/** The rows as they are after the decisions were written to an empty ledger. */
async function storedAfter(...decisions: Decision[]): Promise<LedgerRow[]> {
  const { writes } = await compare(decisions);
  expect(writes.map(({ decision }) => decision)).to.deep.equal(decisions);
  return writes.map((write) => storedRow(write, write.decision));
}

const fixedOf = (row: LedgerRow, kind: FixedEvent['kind']): FixedEvent => ({
  ...row,
  kind,
  amount: Decimal.of(row.amount),
  base: Decimal.of(row.base),
  credit: Decimal.of(row.credit),
});

describe('the difference between decisions and rows', () => {
  it('inserts the decisions without a row, and writes nothing when it runs again', async () => {
    const decisions = [
      decided(),
      decided({ dealKey: 'D2' }),
      decided({ ruleName: 'other' }),
      decided({ planId: 'other' }),
    ];
    const { writes, reversals } = await compare(decisions);
    expect(writes.map(({ change, before }) => [change, before])).to.deep.equal(decisions.map(() => ['inserted', null]));
    expect(reversals).to.deep.equal([]);
    expect(new Set(writes.map(({ eventId }) => eventId)).size).to.equal(4);
    const again = await compare([...decisions].reverse(), { stored: await storedAfter(...decisions) });
    expect(again).to.deep.equal({ writes: [], reversals: [] });
  });

  it('derives the event id from the rep and the key, not from the amounts', async () => {
    const { eventId } = await writeOf(decided());
    expect((await writeOf(decided({ amount: Decimal.of('1'), period: '2026-Q2' }))).eventId).to.equal(eventId);
    const { writes } = await computeDifference(
      'other',
      { stored: [], fixed: [], frozenIds: new Set() },
      { decisions: [decided()], blocked: [] },
    );
    expect(writes[0]?.eventId).to.not.equal(eventId);
  });

  const differing: Partial<Decision>[] = [
    { amount: Decimal.of('100.01') },
    { base: Decimal.of('1000.01') },
    { credit: Decimal.of('999') },
    { tierName: null },
    { tierName: 'Above' },
    { ruleId: 'other' },
    { planVersionId: 'other' },
    { period: '2026-Q2' },
    { earnedOn: '2026-01-16' },
    { category: 'bonus' },
    { attainmentKey: 'other' },
    { currency: 'EUR' },
    { trace: 'other' },
  ];
  for (const values of differing)
    it(`changes the row when the decision has ${Object.entries(values).flat().join(' ')}`, async () => {
      const [stored] = (await storedAfter(decided())) as [LedgerRow];
      const { writes, reversals } = await compare([decided(values)], { stored: [stored] });
      expect(reversals).to.deep.equal([]);
      expect(writes).to.have.length(1);
      expect(writes[0]).to.include({ change: 'changed', before: stored, eventId: stored.eventId });
      expect(writes[0]?.idempotencyKey).to.not.equal(stored.idempotencyKey);
    });

  it('restores a reversed row, even one that equals the decision', async () => {
    const [stored] = (await storedAfter(decided())) as [LedgerRow];
    const reversed: LedgerRow = { ...stored, status: 'reversed' };
    expect(await writeOf(decided(), reversed)).to.include({
      change: 'restored',
      before: reversed,
      eventId: stored.eventId,
    });
  });

  it('reverses the rows that no decision has, once', async () => {
    const [first, second] = (await storedAfter(decided(), decided({ dealKey: 'D2' }))) as [LedgerRow, LedgerRow];
    expect(await compare([decided()], { stored: [first, second] })).to.deep.equal({ writes: [], reversals: [second] });
    const reversed: LedgerRow = { ...second, status: 'reversed' };
    expect(await compare([decided()], { stored: [first, reversed] })).to.deep.equal({ writes: [], reversals: [] });
  });

  it('gives other work its turn after 50 decisions', async () => {
    class CountedSlice extends EventLoopSlice {
      pauses = 0;
      override async pause(): Promise<void> {
        this.pauses += 1;
      }
    }
    const pauses = async (count: number) => {
      const slice = new CountedSlice();
      const decisions = Array.from({ length: count }, (_, index) => decided({ dealKey: `D${index}` }));
      const empty = { stored: [], fixed: [], frozenIds: new Set<string>() };
      await computeDifference('rep', empty, { decisions, blocked: [] }, slice);
      return slice.pauses;
    };
    expect([await pauses(1), await pauses(50), await pauses(51), await pauses(101)]).to.deep.equal([2, 2, 3, 4]);
  });

  it('leaves frozen rows', async () => {
    const [stored] = (await storedAfter(decided())) as [LedgerRow];
    expect(await compare([], { stored: [stored], frozenIds: new Set([stored.eventId]) })).to.deep.equal({
      writes: [],
      reversals: [],
    });
  });

  for (const kind of ['retained', 'stopped'] as const)
    it(`leaves ${kind} rows, unless an approved period would have inserted their key`, async () => {
      const [stored] = (await storedAfter(decided())) as [LedgerRow];
      const fixed = [fixedOf(stored, kind)];
      expect((await compare([], { stored: [stored], fixed })).reversals).to.deep.equal([]);
      const change = { period: '2026-Q1', planId: 'plan', ruleName: 'rule', dealKey: 'D1' };
      const inserted = await compare([], { stored: [stored], fixed, blocked: [{ ...change, change: 'insert' }] });
      expect(inserted.reversals).to.deep.equal([stored]);
      for (const blocked of [
        { ...change, change: 'change' as const },
        { ...change, change: 'insert' as const, dealKey: 'D2' },
      ])
        expect((await compare([], { stored: [stored], fixed, blocked: [blocked] })).reversals).to.deep.equal([]);
    });

  for (const kind of ['frozen', 'owned'] as const)
    it(`reverses a row elsewhere whose key is ${kind} by an approved period`, async () => {
      const [stored] = (await storedAfter(decided())) as [LedgerRow];
      const { reversals } = await compare([], { stored: [stored], fixed: [fixedOf(stored, kind)] });
      expect(reversals).to.deep.equal([stored]);
    });

  it('finds which changes leave the credit of the rep as it was', async () => {
    const [stored] = (await storedAfter(decided())) as [LedgerRow];
    const isSame = async (values: Partial<Decision>) => isSameCredit(await writeOf(decided(values), stored));
    expect(await isSame({ amount: Decimal.of('5') })).to.equal(true);
    expect(await isSame({ credit: Decimal.of('5') })).to.equal(false);
    expect(await isSame({ period: '2026-Q2' })).to.equal(false);
    expect(await isSame({ attainmentKey: 'other' })).to.equal(false);
    expect(isSameCredit(await writeOf(decided()))).to.equal(false);
    expect(isSameCredit(await writeOf(decided(), { ...stored, status: 'reversed' }))).to.equal(false);
  });
});
