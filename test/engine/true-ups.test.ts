import { expect } from 'chai';
import { calculated } from '#test/support/oracle/clean-ledger.js';
import { countedIn, liveRows, sumAmounts, trueUpLines } from '#test/support/oracle/true-up.js';
import type { FrozenPeriod, LedgerRow, World, WorldDeal } from '#test/support/oracle/world.js';
import { amounts, CORRECTED, deal, EXAMPLE, ledgerOf, quota, rule, world } from './small-world.js';

const FLAT = [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }];

function frozen(repId: string, period: string): FrozenPeriod {
  return { repId, period, truedUp: null };
}

function delta(given: World, repId: string, period: string): string {
  const approved = given.frozen.find((each) => each.repId === repId && each.period === period) as FrozenPeriod;
  const live = sumAmounts(liveRows(given, repId, period), 'USD');
  return live.minus(sumAmounts(countedIn(given, approved), 'USD')).toFixed();
}

/** The world after a true-up of the period. */
function truedUp(given: World, repId: string, period: string): World {
  const truedUp = liveRows(given, repId, period);
  const frozen = given.frozen.map((each) =>
    each.repId === repId && each.period === period ? { ...each, truedUp } : each,
  );
  return { ...given, frozen, storedRows: ledgerOf(given) };
}

describe('approved periods and their true-ups (section 9)', () => {
  const approvedJanuary = (deals: WorldDeal[], values: Partial<World> = {}): World =>
    world([rule()], {
      deals,
      frozen: [frozen('r', '2026-01')],
      storedRows: ledgerOf(world([rule()], { deals: EXAMPLE, ...values })),
      ...values,
    });

  it("in the worked example January's true-up is -3,200, once", () => {
    const given = approvedJanuary(CORRECTED);
    expect(amounts(given)).to.deep.equal({ D1: '4800', D2: '7200', D3: '4500' });
    expect(delta(given, 'r', '2026-01')).to.equal('-3200');
    const after = truedUp(given, 'r', '2026-01');
    expect(delta(after, 'r', '2026-01')).to.equal('0');
    // D2 and D3 are paid at the attainment of 20,000.
    expect(amounts(after)).to.deep.equal({ D1: '4800', D2: '4800', D3: '3600' });
    expect(calculated(after).counted.map((row) => row.credit)).to.deep.equal(['20000', '60000', '30000']);
  });

  it('a deal that moves out of an approved period is paid there, at its current amount', () => {
    const moved = [deal('D1', '2026-03-20', 60000), ...EXAMPLE.slice(1)];
    const given = approvedJanuary(moved);
    expect(amounts(given)).to.deep.equal({ D1: '4800', D2: '7200', D3: '4500' });
    expect(delta(given, 'r', '2026-01')).to.equal(String(60000 * 0.15 - 4800));
    const after = truedUp(given, 'r', '2026-01');
    // D2 is the first deal now, and D1 the last.
    expect(amounts(after)).to.deep.equal({ D1: '4800', D2: '4800', D3: '2400' });
    expect(delta(after, 'r', '2026-01')).to.equal('0');
  });

  it('a deal that moves between approved periods is counted only by the first', () => {
    const storedRows = ledgerOf(world([rule()], { deals: EXAMPLE }));
    const deals = [deal('D1', '2026-02-20', 60000), ...EXAMPLE.slice(1)];
    const given = world([rule()], { deals, storedRows, frozen: [frozen('r', '2026-01'), frozen('r', '2026-02')] });
    const ids = (period: string) => liveRows(given, 'r', period).map((row) => row.dealId);
    expect([ids('2026-01'), ids('2026-02')]).to.deep.equal([['D1'], ['D2']]);
  });

  it('a late deal that was trued up remains in its period when it moves', () => {
    const late = deal('D4', '2026-01-20', 10000);
    const paid = truedUp(approvedJanuary([...EXAMPLE, late]), 'r', '2026-01');
    // With 10,000 more in January, D2 reaches 1.3.
    expect(amounts(paid)).to.deep.equal({ D1: '4800', D2: '9000', D3: '4500' });
    const moved = { ...paid, deals: [...EXAMPLE, { ...late, closeDate: '2026-03-20' }] };
    expect(Object.keys(amounts(moved))).to.deep.equal(['D1', 'D2', 'D3']);
    expect(delta(moved, 'r', '2026-01')).to.equal(String(10000 * 0.15 - 10000 * 0.08));
  });

  it('a deal that gets another owner is paid to the new owner and taken back from the old one', () => {
    const storedRows = ledgerOf(world([rule({ tiers: FLAT })], { deals: EXAMPLE }));
    const given = world([rule({ tiers: FLAT })], {
      reps: ['r', 's'].map((repId) => ({ repId, lines: [] })),
      assignments: ['r', 's'].map((repId) => ({ repId, planId: 'p', effectiveStart: null, effectiveEnd: null })),
      deals: [{ ...(EXAMPLE[0] as WorldDeal), repId: 's' }, ...EXAMPLE.slice(1)],
      storedRows,
      frozen: [frozen('r', '2026-01')],
    });
    expect(
      ledgerOf(given)
        .filter((row) => row.dealId === 'D1')
        .map((row) => row.repId),
    ).to.deep.equal(['r', 's']);
    expect(delta(given, 'r', '2026-01')).to.equal('-6000');
  });

  it('has a line for each changed deal, the largest first, with the delta as their sum', () => {
    const deals = [deal('D1', '2026-01-15', 20000), deal('D4', '2026-01-20', 90000), ...EXAMPLE.slice(1)];
    const given = approvedJanuary(deals);
    const live = liveRows(given, 'r', '2026-01');
    const lines = trueUpLines(countedIn(given, given.frozen[0] as FrozenPeriod), live, 'USD');
    expect(lines.map((line) => [line.dealId, line.approved, line.live, line.delta].map(String))).to.deep.equal([
      ['D4', '0', '10800', '10800'],
      ['D1', '4800', '1600', '-3200'],
    ]);
    expect(delta(given, 'r', '2026-01')).to.equal('7600');
  });

  it('a stopped plan pays nothing for late deals and takes back deleted ones', () => {
    const given = approvedJanuary([deal('D4', '2026-01-20', 90000)]);
    const plans = given.plans.map((plan) => ({ ...plan, status: 'archived' as const }));
    expect(delta({ ...given, plans }, 'r', '2026-01')).to.equal('-4800');
    expect(delta({ ...approvedJanuary(CORRECTED), plans }, 'r', '2026-01')).to.equal('0');
  });
});

describe('true-ups below two levels of managers (sections 9 and 10)', () => {
  const own = rule({ name: 'Own', tiers: FLAT });
  const direct = rule({ name: 'Direct', tiers: FLAT, executionPhase: 'cascade', dependsOn: 'Own' });
  const second = rule({ name: 'Second', tiers: FLAT, executionPhase: 'cascade', dependsOn: 'Direct' });
  const january = [deal('D1', '2026-01-15', 10000)];
  const team = (values: Partial<World> = {}): World =>
    world([own, direct, second], {
      quotas: [quota({ key: 'Own' })],
      reps: [
        { repId: 'vp', lines: [] },
        { repId: 'm', lines: [{ managerId: 'vp', from: null, to: null }] },
        { repId: 'r', lines: [{ managerId: 'm', from: null, to: null }] },
      ],
      assignments: ['vp', 'm', 'r'].map((repId) => ({ repId, planId: 'p', effectiveStart: null, effectiveEnd: null })),
      deals: january,
      ...values,
    });
  let storedRows: ReturnType<typeof ledgerOf> = [];
  before(() => {
    storedRows = ledgerOf(team());
  });
  const late = [...january, deal('D4', '2026-01-20', 20000)];
  const names = ['r', 'm', 'vp'];
  const earned = (given: World): Record<string, string> =>
    Object.fromEntries(
      ledgerOf(given)
        .filter((row: LedgerRow) => row.dealId === 'D4')
        .map((row) => [`${row.repId} ${row.ruleName}`, row.amount]),
    );

  it('an open period of a manager earns on true-ups below it', () => {
    const given = team({ deals: late, storedRows, frozen: [frozen('r', '2026-01')] });
    expect(earned(given)).to.deep.equal({});
    expect(delta(given, 'r', '2026-01')).to.equal('2000');
    expect(earned(truedUp(given, 'r', '2026-01'))).to.deep.equal({
      'm Direct': '200',
      'vp Direct': '200',
      'vp Second': '20',
    });
  });

  it("true-ups of managers' approved periods are equal in any order", () => {
    for (const order of [names, [...names].reverse()]) {
      let given = team({ deals: late, storedRows, frozen: names.map((repId) => frozen(repId, '2026-01')) });
      const deltas = new Map<string, string>();
      for (const repId of order) {
        deltas.set(repId, delta(given, repId, '2026-01'));
        given = truedUp(given, repId, '2026-01');
      }
      expect(Object.fromEntries(deltas)).to.deep.equal({ r: '2000', m: '200', vp: '220' });
      for (const repId of names) expect(delta(given, repId, '2026-01')).to.equal('0');
    }
  });
});
