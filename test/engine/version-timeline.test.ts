import { expect } from 'chai';
import { isStoppedOn, patched, resolvePlan, setPlanStatus, versionOn } from '#test/support/oracle/timeline.js';
import type { WorldPlan, WorldPlanVersion } from '#test/support/oracle/world.js';
import { amounts, deal, EXAMPLE, ledgerOf, rule, TIERS, version, world } from './small-world.js';

function at(number: number, values: Partial<WorldPlanVersion> = {}): WorldPlanVersion {
  return version({ rules: [rule()] }, { planVersionId: `v${number}`, version: number, ...values });
}

function planOf(...versions: WorldPlanVersion[]): WorldPlan {
  return { planId: 'p', status: 'active', versions };
}

/** The version on each day, with `stopped` and `none` for days without a version. */
function onDays(plan: WorldPlan, ...days: string[]): string[] {
  return days.map((day) => {
    const found = versionOn(plan, day);
    return found !== null ? found.planVersionId : isStoppedOn(plan, day) ? 'stopped' : 'none';
  });
}

describe('the version timeline (section 3)', () => {
  it('the version with the latest start is in force, and among equal starts the highest number', () => {
    const plan = planOf(
      at(1),
      at(2, { effectiveStart: '2026-07-01' }),
      at(3, { effectiveStart: '2026-04-01' }),
      at(4, { effectiveStart: '2026-07-01' }),
    );
    expect(onDays(plan, '2020-01-01', '2026-03-31', '2026-04-01', '2026-06-30', '2026-07-01')).to.deep.equal([
      'v1',
      'v1',
      'v3',
      'v3',
      'v4',
    ]);
  });

  it('no earlier version applies after the end of the version in force', () => {
    const plan = planOf(at(1), at(2, { effectiveStart: '2026-02-01', effectiveEnd: '2026-02-28' }));
    expect(onDays(plan, '2026-01-31', '2026-02-28', '2026-03-01')).to.deep.equal(['v1', 'v2', 'none']);
  });

  it('a correction replaces its source and leaves later versions unchanged', () => {
    const source = at(1);
    const july = patched(
      source,
      { config: { rules: [] }, effectiveStart: '2026-07-01' },
      { planVersionId: 'v2', version: 2 },
    );
    const correction = patched(source, { config: { rules: [rule()] } }, { planVersionId: 'v3', version: 3 });
    expect([july.version.supersedes, correction.version.supersedes]).to.deep.equal([null, 'v1']);
    const plan = planOf(source, july.version, correction.version);
    expect(onDays(plan, '2026-06-30', '2026-07-01')).to.deep.equal(['v3', 'v2']);
  });

  it('moving a start replaces the version, earlier or later', () => {
    const first = at(1);
    const july = at(2, { effectiveStart: '2026-07-01' });
    const august = patched(july, { effectiveStart: '2026-08-01' }, { planVersionId: 'v3', version: 3 });
    const plan = planOf(first, july, august.version);
    expect(onDays(plan, '2026-07-01', '2026-08-01')).to.deep.equal(['v1', 'v3']);
    august.version.status = 'archived';
    expect(onDays(plan, '2026-07-01', '2026-08-01')).to.deep.equal(['v2', 'v2']);
  });

  it('PATCH effectiveEnd ends a plan with several versions', () => {
    const first = at(1);
    const second = patched(first, { config: { rules: [rule()] } }, { planVersionId: 'v2', version: 2 }).version;
    const ended = patched(second, { effectiveEnd: '2026-01-31' }, { planVersionId: 'v3', version: 3 }).version;
    expect(onDays(planOf(first, second, ended), '2026-01-31', '2026-02-01')).to.deep.equal(['v3', 'none']);
  });

  it('a stopped identity or version stops its days, and an ended or absent version does not', () => {
    const plan = planOf(at(1, { effectiveStart: '2026-01-01', effectiveEnd: '2026-03-31' }));
    plan.status = 'archived';
    expect(onDays(plan, '2025-12-31', '2026-01-01', '2026-04-01')).to.deep.equal(['none', 'stopped', 'none']);
    setPlanStatus(plan, 'active');
    expect(onDays(plan, '2026-01-01')).to.deep.equal(['v1']);
    (plan.versions[0] as WorldPlanVersion).status = 'draft';
    expect(onDays(plan, '2026-01-01')).to.deep.equal(['stopped']);
    setPlanStatus(plan, 'active');
    expect(onDays(plan, '2026-01-01')).to.deep.equal(['v1']);
  });

  it('archiving the version in force restores the version before it', () => {
    const plan = planOf(at(1), at(2, { effectiveStart: '2026-02-01', status: 'archived' }));
    expect(onDays(plan, '2026-01-31', '2026-02-01')).to.deep.equal(['v1', 'v1']);
  });

  it('a planId refers to the version in force today, otherwise the next to start, otherwise the latest', () => {
    const plan = planOf(
      at(1, { effectiveStart: '2026-02-01', effectiveEnd: '2026-02-28' }),
      at(2, { effectiveStart: '2026-05-01' }),
      at(3, { effectiveStart: '2026-05-01' }),
      at(4, { effectiveStart: '2026-06-01', status: 'draft' }),
    );
    expect(resolvePlan(plan, '2026-03-15').planVersionId).to.equal('v1');
    expect(resolvePlan(plan, '2026-01-15').planVersionId).to.equal('v1');
    (plan.versions[0] as WorldPlanVersion).status = 'archived';
    expect(resolvePlan(plan, '2026-01-15').planVersionId).to.equal('v3');
    for (const each of plan.versions) each.status = 'draft';
    expect(resolvePlan(plan, '2026-01-15').planVersionId).to.equal('v4');
  });

  it('overrides follow their rule by name, tier by tier, where index and threshold are unchanged', () => {
    const source = at(1, {
      overrides: [
        {
          repId: 'r',
          ruleName: 'New',
          tiers: [
            { tierIndex: 0, rate: 0.3 },
            { tierIndex: 2, rate: 0.4 },
          ],
        },
        { repId: 's', ruleName: 'Gone', tiers: [{ tierIndex: 0, rate: 0.5 }] },
      ],
    });
    const tiers = TIERS.map((tier) => (tier.tierIndex === 2 ? { ...tier, minThreshold: 1.5 } : tier));
    const config = { rules: [rule({ tiers })] };
    const { version: made, dropped } = patched(source, { config }, { planVersionId: 'v2', version: 2 });
    expect(made.overrides).to.deep.equal([{ repId: 'r', ruleName: 'New', tiers: [{ tierIndex: 0, rate: 0.3 }] }]);
    expect(dropped).to.deep.equal([
      { repId: 'r', ruleName: 'New', tierIndex: 2 },
      { repId: 's', ruleName: 'Gone', tierIndex: 0 },
    ]);
  });

  it('events of a stopped day remain and count while their deal exists, and no events are added', () => {
    const before = ledgerOf(world([rule()], { deals: EXAMPLE }));
    const from = (status: WorldPlanVersion['status']) => [
      planOf(
        at(1, { planVersionId: 'p-v1', effectiveStart: '2026-01-01', status }),
        at(2, { effectiveStart: '2026-03-01' }),
      ),
    ];
    const deals = [
      deal('D1', '2026-01-15', 1, 'someone else'),
      deal('D3', '2026-03-05', 30000),
      deal('D4', '2026-02-01', 50000),
    ];
    // D2 is deleted: 60,000 of D1 and 30,000 of D3 are 0.9.
    const rows = ledgerOf(world([], { plans: from('archived'), deals, storedRows: before }));
    expect(rows.map((row) => [row.dealId, row.amount, row.credit])).to.deep.equal([
      ['D1', '4800', '60000'],
      ['D3', '2400', '30000'],
    ]);
    // There was no version before its first day, so the event is deleted.
    const early = before.map((row) => (row.dealId === 'D1' ? { ...row, earnedOn: '2025-12-31' } : row));
    expect(
      ledgerOf(world([], { plans: from('archived'), deals, storedRows: early })).map((row) => row.dealId),
    ).to.deep.equal(['D3']);
  });

  it('an event of a stopped day stays when its deal moves, and is not earned again', () => {
    const storedRows = ledgerOf(world([rule()], { deals: EXAMPLE.slice(0, 1) }));
    const plans = [
      planOf(at(1, { planVersionId: 'p-v1', status: 'archived' }), at(2, { effectiveStart: '2026-03-01' })),
    ];
    const moved = world([], { plans, deals: [deal('D1', '2026-03-20', 60000)], storedRows });
    expect(amounts(moved)).to.deep.equal({ D1: '4800' });
    expect(ledgerOf(moved)[0]?.earnedOn).to.equal('2026-01-15');
  });
});
