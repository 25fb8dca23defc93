import { expect } from 'chai';
import { calculateRep } from '#src/engine/calculate.js';
import { type CreditLine } from '#src/engine/credit-lines.js';
import { type RepResult } from '#src/engine/model.js';
import { readPlanConfig } from '#src/engine/plan-config.js';
import { decodeTrace } from '#src/engine/trace.js';
import { calculated } from '#test/support/oracle/clean-ledger.js';
import { countedIn, liveRows, sumAmounts } from '#test/support/oracle/true-up.js';
import type { LedgerRow, World, WorldCredit, WorldDeal } from '#test/support/oracle/world.js';
import { inputOf, run } from './scenario.js';
import { deal, ledgerOf, quota, version, world } from './small-world.js';

const people = { a: ['m1'], b: [], m1: ['m'], m: [], se: ['m'], sdr: [], partner: [] } as const;
const reps = Object.entries(people).map(([repId, managers]) => ({
  repId,
  email: `${repId}@example.com`,
  lines: managers.map((managerId) => ({ managerId, from: null, to: null })),
}));

const tiers = [
  { tierIndex: 0, minThreshold: 0, rate: 0.08, name: 'Base' },
  { tierIndex: 1, minThreshold: 1, rate: 0.12, name: 'Over' },
];
const flatRate = (rate: number) => [{ tierIndex: 0, minThreshold: 0, rate }];
const newBusiness = { name: 'New business', measure: 'amount', tiers };
const override = { name: 'Override', measure: 'amount', executionPhase: 'cascade', tiers: flatRate(0.2) };

/** A world in which everyone is on the rules, with a quota of 100,000. */
function team(rules: object[], deals: WorldDeal[], values: Partial<World> = {}): World {
  const everyone = reps.map(({ repId }) => repId);
  return world([], {
    reps,
    plans: [{ planId: 'p', status: 'active', versions: [version({ rules })] }],
    assignments: everyone.map((repId) => ({ repId, planId: 'p', effectiveStart: null, effectiveEnd: null })),
    quotas: everyone.map((repId) => quota({ repId, key: 'New business' })),
    deals,
    ...values,
  });
}

/** Parts such as `a 70`, `se 100 overlay` and `b 40 quota`. */
function shared(dealId: string, closeDate: string, amount: number, ...parts: string[]): WorldDeal {
  return { ...deal(dealId, closeDate, amount, 'a'), credits: parts.map(toLine) };
}

function toLine(part: string): WorldCredit {
  const [repId = '', percent = '', word] = part.split(' ');
  return {
    source: 'api',
    repId: repId === 'house' ? null : repId,
    percent: Number(percent),
    kind: word === 'overlay' ? 'overlay' : 'split',
    ...(word === 'quota' || word === 'payout' ? { affects: word } : {}),
  };
}

/** What is earned as `rep deal: amount`, with the rule where a rep has several. */
function pay(of: World, ruleName?: string): Record<string, string> {
  const rows = ledgerOf(of).filter((row) => ruleName === undefined || row.ruleName === ruleName);
  return Object.fromEntries(rows.map((row) => [`${row.repId} ${row.dealId}`, row.amount]));
}

function creditOf(of: World, repId: string, ruleName = 'New business'): Record<string, string> {
  const rows = ledgerOf(of).filter((row) => row.repId === repId && row.ruleName === ruleName);
  return Object.fromEntries(rows.map((row) => [row.dealId, row.credit]));
}

const before = deal('before', '2026-01-05', 50_000, 'a');

describe('deals that several people share, by the engine and by the oracle', () => {
  it('S1: each seller is paid for the own share at the own tier', () => {
    const of = team([newBusiness], [before, shared('d', '2026-02-10', 100_000, 'a 70', 'b 30')]);
    expect(pay(of)).to.deep.equal({ 'a before': '4000', 'a d': '8400', 'b d': '2400' });
    expect(creditOf(of, 'a')).to.deep.equal({ before: '50000', d: '70000' });
  });

  it('S2: marginal tiers divide each share by the own bands', () => {
    const deals = [
      deal('a0', '2026-01-05', 60_000, 'a'),
      deal('b0', '2026-01-05', 95_000, 'b'),
      shared('d', '2026-02-10', 50_000, 'a 60', 'b 40'),
    ];
    const of = team([{ ...newBusiness, tierMode: 'marginal' }], deals);
    expect(pay(of)).to.include({ 'a d': '2400', 'b d': '2200' });
  });

  it('S3: a manager above both sellers is paid once, one above one seller for that share', () => {
    const deals = [before, shared('d', '2026-02-10', 100_000, 'a 70', 'b 30')];
    const rules = [newBusiness, { ...override, dependsOn: 'New business' }];
    const above = reps.map((rep) =>
      rep.repId === 'b' ? { ...rep, lines: [{ managerId: 'm', from: null, to: null }] } : rep,
    );
    const of = team(rules, deals, { reps: above });
    expect(pay(of, 'Override')).to.include({ 'm d': '2160', 'm1 d': '1680' });
    expect(creditOf(of, 'm', 'Override')).to.include({ d: '100000' });
    expect(creditOf(of, 'm1', 'Override')).to.include({ d: '70000' });
  });

  it('S4: an overlay pays under its own rule, and the manager counts the deal once', () => {
    const overlay = { ...newBusiness, name: 'Overlay', tiers: flatRate(0.015), creditKinds: ['overlay'] };
    const of = team([newBusiness, overlay, override], [shared('d', '2026-02-10', 100_000, 'a 100', 'se 100 overlay')], {
      quotas: reps.map(({ repId }) => quota({ repId, key: 'New business', target: 400_000 })),
    });
    expect(pay(of)).to.include({ 'a d': '8000', 'se d': '1500', 'm d': '1900', 'm1 d': '1600' });
    expect(creditOf(of, 'm', 'Override')).to.deep.equal({ d: '100000' });
    expect(creditOf(of, 'se', 'Overlay')).to.deep.equal({ d: '100000' });
  });

  describe('after approvals', () => {
    const flat = [{ ...newBusiness, tiers: flatRate(0.1) }];
    const approve = (of: World, ...repIds: string[]): World => ({
      ...of,
      storedRows: ledgerOf(of),
      frozen: repIds.map((repId) => ({ repId, period: '2026-01', truedUp: null })),
    });
    const owed = (of: World): Record<string, string> =>
      Object.fromEntries(
        of.frozen.map((frozen) => {
          const total = (rows: LedgerRow[]) => sumAmounts(rows, 'USD');
          const live = total(liveRows(of, frozen.repId, frozen.period));
          return [frozen.repId, live.minus(total(countedIn(of, frozen))).toString()];
        }),
      );

    it('S5: corrected lines are owed to and by those whose period is approved, and a refund follows the new ones', () => {
      const approved = approve(team(flat, [shared('d', '2026-01-10', 50_000, 'a 60', 'b 40')]), 'a', 'b');
      const now = {
        ...approved,
        deals: [
          shared('d', '2026-01-10', 50_000, 'a 50', 'b 50'),
          shared('refund', '2026-02-20', -10_000, 'a 50', 'b 50'),
        ],
      };
      expect(owed(now)).to.deep.equal({ a: '-500', b: '500' });
      expect(pay(now)).to.deep.equal({ 'a d': '3000', 'b d': '2000', 'a refund': '-500', 'b refund': '-500' });
    });

    it('S8: a person whose period is open is paid at once, the other is owed', () => {
      const approved = approve(team(flat, [deal('d', '2026-01-10', 50_000, 'a')]), 'a');
      const now = { ...approved, deals: [shared('d', '2026-01-10', 50_000, 'a 50', 'b 50')] };
      expect(pay(now)).to.deep.equal({ 'a d': '5000', 'b d': '2500' });
      expect(owed(now)).to.deep.equal({ a: '-2500' });
    });

    it('keep the share of an event that a manager reads', () => {
      const shares = [shared('d', '2026-01-10', 50_000, 'a 40', 'b 60')];
      const approved = approve(team([...flat, override], shares), 'a');
      const now = { ...approved, deals: [shared('d', '2026-01-10', 50_000, 'a 90', 'b 10')] };
      expect(creditOf(now, 'm', 'Override')).to.deep.equal({ d: '20000' });
    });
  });

  it('S6: shares are not rounded, and each person’s amount is', () => {
    const of = team(
      [{ ...newBusiness, tiers: flatRate(0.07) }],
      [shared('d', '2026-01-10', 10_000.01, 'a 33.333333', 'b 33.333333', 'se 33.333334')],
    );
    expect(pay(of)).to.deep.equal({ 'a d': '233.33', 'b d': '233.33', 'se d': '233.33' });
  });

  it('S7: a smaller share re-rates every deal of a retroactive period', () => {
    const rules = [{ ...newBusiness, tierMode: 'retroactive' }];
    const deals = (percent: number) => [
      deal('own', '2026-01-05', 60_000, 'a'),
      shared('d', '2026-02-10', 60_000, `a ${percent}`, `house ${100 - percent}`),
    ];
    expect(pay(team(rules, deals(75)))).to.deep.equal({ 'a own': '7200', 'a d': '5400' });
    expect(pay(team(rules, deals(60)))).to.deep.equal({ 'a own': '4800', 'a d': '2880' });
  });

  it('S9: a floor of a deal is shared', () => {
    const rules = [{ ...newBusiness, floor: 100 }];
    const of = team(rules, [shared('d', '2026-01-10', 900, 'a 50', 'b 50')]);
    expect(pay(of)).to.deep.equal({ 'a d': '50', 'b d': '50' });
  });

  it('S10: a split and an overlay of one person are two events', () => {
    const overlay = { ...newBusiness, name: 'Overlay', tiers: flatRate(0.01), creditKinds: ['overlay'] };
    const of = team([newBusiness, overlay], [shared('d', '2026-01-10', 10_000, 'a 50', 'b 50', 'a 20 overlay')]);
    const rows = ledgerOf(of).filter(({ repId }) => repId === 'a');
    expect(rows.map(({ ruleName, amount }) => [ruleName, amount])).to.deep.equal([
      ['New business', '400'],
      ['Overlay', '20'],
    ]);
  });

  it('S11: a line may count for the quota or for the payout alone', () => {
    const rules = [{ ...newBusiness, floor: 50 }];
    const first = team(rules, [shared('d', '2026-01-10', 60_000, 'a 50', 'b 50 quota')]);
    expect(pay(first)).to.deep.equal({ 'a d': '2400', 'b d': '0' });
    expect(creditOf(first, 'b')).to.deep.equal({ d: '30000' });
    const two = { ...shared('d', '2026-01-10', 70_000, 'b 60', 'b 40 payout') };
    const roles = { ...two, credits: (two.credits ?? []).map((line, index) => ({ ...line, role: `R${index}` })) };
    const second = team(rules, [roles]);
    expect(ledgerOf(second).map((row) => [row.amount, row.base, row.credit])).to.deep.equal([
      ['5600', '70000', '42000'],
    ]);
  });

  it('S12: split rules take their percentage from what the owner still has', () => {
    const rule = { kind: 'split' as const, role: null, conditions: [], effectiveStart: null, effectiveEnd: null };
    const fields = { amount: 1_000, opened_by: 'sdr@example.com', via: 'partner@example.com' };
    const of = team([{ ...newBusiness, tiers: flatRate(0.1) }], [deal('d', '2026-01-10', fields, 'a')], {
      creditRules: [
        { ...rule, name: '2 Partner', percent: 80, personField: 'via' },
        { ...rule, name: '1 SDR', percent: 30, personField: 'opened_by' },
      ],
    });
    expect(pay(of)).to.deep.equal({ 'sdr d': '30', 'partner d': '70' });
  });

  it('S13: two rules on the same share are one share of the manager', () => {
    const kicker = { ...newBusiness, name: 'Kicker', tiers: flatRate(0.01) };
    const rules = [newBusiness, kicker, { ...override, dependsOn: '_total' }];
    const of = team(rules, [shared('d', '2026-01-10', 100_000, 'a 50', 'b 50')]);
    expect(pay(of, 'Override')).to.include({ 'm d': '900' });
    expect(creditOf(of, 'm', 'Override')).to.deep.equal({ d: '50000' });
  });

  it('does not share what the people below earned a second time', () => {
    const earned = { ...override, measure: '_earned' };
    const of = team([newBusiness, earned], [shared('d', '2026-01-10', 10_000, 'a 50', 'b 50')]);
    expect(creditOf(of, 'm1', 'Override')).to.deep.equal({ d: '400' });
    expect(pay(of, 'Override')).to.include({ 'm1 d': '80' });
  });

  it('counts a named role only', () => {
    const rules = [{ ...newBusiness, creditRoles: ['SE'], creditKinds: ['split', 'overlay'] }];
    const lines = shared('d', '2026-01-10', 10_000, 'a 100', 'se 30 overlay');
    const roles = (lines.credits ?? []).map((line) => (line.kind === 'overlay' ? { ...line, role: 'SE' } : line));
    const alone = deal('alone', '2026-01-11', 10_000, 'a');
    expect(pay(team(rules, [{ ...lines, credits: roles }, alone]))).to.deep.equal({ 'se d': '240' });
    expect(pay(team(rules, [lines, alone]))).to.deep.equal({});
  });

  it('sums the shares of the deals of a period', () => {
    const periodic = { ...newBusiness, name: 'Period', executionPhase: 'periodic', attainmentPeriod: 'monthly' };
    const bonus = [{ tierIndex: 0, minThreshold: 0, flatAmount: 500 }];
    const deals = [shared('d', '2026-01-10', 10_000, 'a 60', 'b 40 quota'), deal('e', '2026-01-20', 1_000, 'a')];
    const of = team([{ ...periodic, tiers: flatRate(0.1) }], deals, { asOf: '2026-02-01' });
    expect(pay(of)).to.include({ 'a 2026-01': '700', 'b 2026-01': '0' });
    expect(creditOf(of, 'b', 'Period')).to.include({ '2026-01': '4000' });
    expect(pay(team([{ ...periodic, tiers: bonus }], deals, { asOf: '2026-02-01' }))).to.include({
      'a 2026-01': '500',
      'b 2026-01': '500',
    });
  });

  it('gives a manager one event for each deal and rule', () => {
    const lines = ['a 40', 'b 40', 'm 20', 'se 50 overlay'];
    const rules = [{ ...newBusiness, creditKinds: ['split', 'overlay'] }, override];
    const rows = calculated(team(rules, [shared('d', '2026-01-10', 10_000, ...lines)])).rows;
    const ofManager = rows.filter(({ repId }) => repId === 'm').map(({ ruleName, credit }) => [ruleName, credit]);
    expect(ofManager).to.deep.equal([
      ['New business', '2000'],
      ['Override', '9000'],
    ]);
  });
});

describe('the explanation of a shared deal', () => {
  const scenario = {
    config: {
      rules: [
        { ...newBusiness, tiers: flatRate(0.08) },
        { ...newBusiness, name: 'Overlay', tiers: flatRate(0.01), creditKinds: ['overlay'] },
      ],
    },
    deals: 'd | 2026-01-10 | 1000',
  };
  const explain = (percent: number, affects: CreditLine['affects']) => {
    const input = inputOf(scenario);
    const line: CreditLine = { repId: 'rep', kind: 'split', role: null, percent: `${percent}`, affects, source: 'api' };
    return calculateRep({ ...input, deals: input.deals.map((each) => ({ ...each, credits: [line] })) });
  };

  it('says which rules count none of the lines, and which lines count for the quota only', () => {
    const reasons = (result: RepResult) => result.outcomes.map(({ ruleName, reason }) => [ruleName, reason]);
    expect(reasons(explain(100, 'both'))).to.deep.equal([
      ['Overlay', 'no_credit'],
      ['New business', null],
    ]);
    expect(reasons(explain(100, 'quota'))).to.deep.equal([
      ['Overlay', 'no_credit'],
      ['New business', 'quota_credit_only'],
    ]);
  });

  it('shows the share at the end of the trace, and a whole deal as without lines', () => {
    const context = { conditions: [], day: '2026-01-10', timeZone: 'UTC', tierName: null, amount: 0 };
    const [half] = explain(50, 'both').decisions;
    expect(decodeTrace(half?.trace ?? '', context)).to.deep.include({
      share: { credit: 0.5, pay: 0.5 },
      measure: 500,
      base: 500,
    });
    const [whole] = explain(100, 'both').decisions;
    expect(whole?.trace).to.equal(run(scenario).decisions[0]?.trace);
    expect(decodeTrace(whole?.trace ?? '', context)).not.to.have.property('share');
  });

  it('rejects the fields of lines in cascade rules, and repeated kinds and roles', () => {
    const issuesOf = (rule: object) => {
      const read = readPlanConfig({ rules: [{ ...newBusiness, ...rule }] });
      return 'issues' in read ? read.issues.map(({ path }) => path) : [];
    };
    expect(issuesOf({ executionPhase: 'cascade', creditKinds: ['split'], creditRoles: ['SE'] })).to.deep.equal([
      'rules.0.creditKinds',
      'rules.0.creditRoles',
    ]);
    expect(issuesOf({ creditKinds: ['split', 'split'] })).to.deep.equal(['rules.0.creditKinds']);
    expect(issuesOf({ creditRoles: [] })).to.deep.equal(['rules.0.creditRoles']);
    expect(issuesOf({ creditKinds: ['split', 'overlay'], creditRoles: ['AE', 'SE'] })).to.deep.equal([]);
  });
});
