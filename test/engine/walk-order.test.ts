import { expect } from 'chai';
import fc from 'fast-check';
import { CloseOrderWalk, type WalkListener } from '#src/engine/close-order-walk.js';
import { type FixedEvent } from '#src/engine/model.js';
import { type PlannedRefund } from '#src/engine/plan-refunds.js';
import { Decimal } from '#src/kernel/decimal.js';

type Occurrence = Parameters<CloseOrderWalk['add']>[0];

const ignored: WalkListener = { decided: () => undefined, fixed: () => undefined, refunded: () => Decimal.zero };

/** An entry that nothing computes; `name` is the deal, and with a number the rule of the deal. */
function entry(name: string, day: string, refund: Occurrence['refund'] = null): Occurrence {
  const [dealKey = '', position = '0'] = name.split(' ');
  const place = { day, dealKey, position: Number(position), period: '2026-Q1', key: 'New', ruleName: 'New' };
  return { ...place, credit: Decimal.zero, firing: null, fixed: {} as FixedEvent, refund };
}

function refundOf(dealId: string, day: string): Occurrence {
  const refund = { planned: {} as PlannedRefund, isOfPeriod: false, computeCutOff: () => Decimal.zero };
  return { ...entry(`refund:${dealId}:R`, day, refund), fixed: null };
}

/** The entries in the order in which the walk takes them. */
function walk(entries: readonly Occurrence[]): string[] {
  const taken: string[] = [];
  const take = ({ day, dealKey, position }: Occurrence) => taken.push(`${day} ${dealKey} ${position}`);
  const walked = new CloseOrderWalk(
    () => [],
    {
      ...ignored,
      fixed: take,
      refunded: (one) => {
        take(one);
        return Decimal.zero;
      },
    },
    false,
  );
  for (const one of entries) walked.add(one);
  for (const _ of walked.advance());
  return taken;
}

describe('the order of a plan', () => {
  const [first, second] = ['2026-01-10', '2026-01-11'];
  const entries = [
    entry('a 0', first),
    entry('a 1', first),
    entry('a 2', first),
    entry('z 0', first),
    refundOf('b', first),
    refundOf('c', first),
    entry('a 0', second),
    refundOf('a', second),
  ];

  it('is by day, then deals before refunds, then by deal, then by rule, in whatever order entries are added', () => {
    const order = walk(entries);
    expect(order).to.deep.equal([
      '2026-01-10 a 0',
      '2026-01-10 a 1',
      '2026-01-10 a 2',
      '2026-01-10 z 0',
      '2026-01-10 refund:b:R 0',
      '2026-01-10 refund:c:R 0',
      '2026-01-11 a 0',
      '2026-01-11 refund:a:R 0',
    ]);
    fc.assert(
      fc.property(fc.shuffledSubarray(entries, { minLength: entries.length }), (shuffled) => {
        expect(walk(shuffled)).to.deep.equal(order);
      }),
      { numRuns: 60 },
    );
  });
});
