import { expect } from 'chai';
import {
  buildTimeline,
  computeStretches,
  type DatedPlan,
  differingDays,
  findReferencedVersion,
  findVersionInForce,
  latestStarted,
  mayHaveEarned,
  restatedDays,
  stoppedDays,
  stopsDays,
  type TimelineCandidate,
} from '#src/engine/version-timeline.js';
import { earliestDay, latestDay } from '#src/kernel/day.js';

const february = { effectiveStart: '2026-02-01' };
const april = { effectiveStart: '2026-04-01' };
const firstQuarter = { effectiveStart: '2026-01-01', effectiveEnd: '2026-03-31' };

function version(number: number, values: Partial<TimelineCandidate> = {}): TimelineCandidate {
  return {
    planVersionId: `v${number}`,
    version: number,
    effectiveStart: null,
    effectiveEnd: null,
    status: 'active',
    supersedes: null,
    hasBeenActive: true,
    ...values,
  };
}

function plan(...versions: TimelineCandidate[]): DatedPlan {
  return { isActive: true, versions };
}

const numbers = (versions: readonly TimelineCandidate[]) => versions.map((one) => one.version);
const inAnyOrder = (...versions: TimelineCandidate[]) => [versions, versions.toReversed()];

describe('the timeline of a plan', () => {
  it('has the active versions that none supersedes, by start and then by number', () => {
    const versions = [version(4, april), version(3, february), version(1), version(2, april), version(5)];
    for (const order of [versions, versions.toReversed(), versions.toSorted((a, b) => a.version - b.version)])
      expect(numbers(buildTimeline(order))).to.deep.equal([1, 5, 3, 2, 4]);
    expect(numbers(buildTimeline([version(1), version(2, { supersedes: 'v1' })]))).to.deep.equal([2]);
    expect(numbers(buildTimeline([version(1), version(2, { supersedes: 'v1', status: 'draft' })]))).to.deep.equal([1]);
  });

  it('has one version in force on a day, until its end and in any order', () => {
    const ending = version(2, { ...february, effectiveEnd: '2026-03-31' });
    for (const order of inAnyOrder(version(1), ending, version(3, { effectiveStart: '2026-06-01' }))) {
      const inForce = (day: string) => findVersionInForce(order, day, (one) => one)?.version ?? null;
      expect(['2026-01-31', '2026-02-01', '2026-03-31', '2026-04-01', '2026-06-01'].map(inForce)).to.deep.equal([
        1,
        2,
        2,
        null,
        3,
      ]);
    }
    expect(findVersionInForce([version(1, february)], '2026-01-31', (one) => one)).to.equal(null);
  });

  it('has a version that started last, also after its end', () => {
    for (const order of inAnyOrder(version(1), version(2, { ...february, effectiveEnd: '2026-03-31' }))) {
      expect(latestStarted(order, '2026-05-01')?.version).to.equal(2);
      expect(latestStarted(order, '2026-01-31')?.version).to.equal(1);
    }
    expect(latestStarted([version(1, february)], '2026-01-31')).to.equal(null);
  });

  it('gives each version its days, and of versions with equal start only the highest number', () => {
    const ending = version(3, { ...april, effectiveEnd: '2026-05-31' });
    for (const order of inAnyOrder(version(1), version(2, april), ending, version(4, { effectiveStart: '2026-07-01' })))
      expect(computeStretches(order)).to.deep.equal([
        { planVersionId: 'v1', version: 1, from: null, to: '2026-03-31' },
        { planVersionId: 'v3', version: 3, from: '2026-04-01', to: '2026-05-31' },
        { planVersionId: 'v4', version: 4, from: '2026-07-01', to: null },
      ]);
  });

  it('ends the days of a version where the next begins, if its own end is later', () => {
    expect(computeStretches([version(1, { effectiveEnd: '2026-12-31' }), version(2, april)])[0]?.to).to.equal(
      '2026-03-31',
    );
    expect(computeStretches([version(1, { effectiveEnd: '2026-03-31' })])[0]?.to).to.equal('2026-03-31');
  });
});

describe('the version that a planId means', () => {
  it('is the latest that has started, also if it has ended', () => {
    expect(findReferencedVersion([version(1), version(2, firstQuarter)], '2026-05-01')?.version).to.equal(2);
  });

  it('is the next if none has started, and of equal starts the highest number', () => {
    const later = version(4, { effectiveStart: '2026-07-01' });
    for (const order of inAnyOrder(version(2, april), version(3, april), later))
      expect(findReferencedVersion(order, '2026-01-01')?.version).to.equal(3);
  });

  it('is the latest of all if none is active', () => {
    const drafts = [1, 3, 2].map((number) => version(number, { status: 'draft' }));
    expect(findReferencedVersion(drafts, '2026-01-01')?.version).to.equal(3);
    expect(findReferencedVersion([], '2026-01-01')).to.equal(null);
  });
});

describe('the days that a plan stops', () => {
  it('are those on which a version that has been active would be in force, and none is', () => {
    const archived = version(1, { ...firstQuarter, status: 'archived' });
    const days = ['2025-12-31', '2026-01-01', '2026-03-31', '2026-04-01'];
    for (const stopped of [plan(archived), { ...plan(version(1, firstQuarter)), isActive: false }])
      expect(days.map(stoppedDays(stopped))).to.deep.equal([false, true, true, false]);
    expect(days.map(stoppedDays(plan(version(1, firstQuarter))))).to.deep.equal([false, false, false, false]);
    expect(days.map(stoppedDays(plan(archived, version(2, february))))).to.deep.equal([false, true, false, false]);
  });

  it('are none of a version that was never active', () => {
    const draft = version(1, { status: 'draft', hasBeenActive: false });
    expect(stoppedDays(plan(draft))('2026-01-01')).to.equal(false);
    expect(mayHaveEarned(draft)).to.equal(false);
    expect(mayHaveEarned({ ...draft, status: 'active' })).to.equal(true);
    expect(mayHaveEarned({ ...draft, hasBeenActive: true })).to.equal(true);
  });

  it('are new if the change stops a day that was paid or free', () => {
    const active = plan(version(1, firstQuarter));
    const stopped = plan(version(1, { ...firstQuarter, status: 'archived' }));
    expect(stopsDays(active, stopped)).to.equal(true);
    expect(stopsDays(stopped, stopped)).to.equal(false);
    expect(stopsDays(stopped, active)).to.equal(false);
    expect(stopsDays(active, plan(version(1, { ...firstQuarter, effectiveEnd: '2026-02-28' })))).to.equal(false);
  });
});

describe('the days that a change of a plan moves', () => {
  const before = plan(version(1));

  it('are none without a change', () => {
    expect(differingDays(before, before)).to.equal(null);
    expect(differingDays(plan(), { ...before, isActive: false })).to.equal(null);
  });

  it('are those with another version in force, from the first to the last', () => {
    expect(differingDays(before, plan(version(1), version(2, april)))).to.deep.equal({
      from: '2026-04-01',
      to: latestDay,
    });
    expect(differingDays(before, plan(version(2)))).to.deep.equal({ from: earliestDay, to: latestDay });
    expect(differingDays(plan(version(1, firstQuarter)), plan())).to.deep.equal({
      from: '2026-01-01',
      to: '2026-03-31',
    });
    const shortened = plan(version(1, { effectiveEnd: '2026-03-31' }));
    expect(differingDays(before, shortened)).to.deep.equal({ from: '2026-04-01', to: latestDay });
    const untilTheLastDay = plan(version(1, { effectiveEnd: latestDay }));
    expect(differingDays(before, untilTheLastDay)).to.equal(null);
    const second = version(2, { effectiveStart: '2026-05-01', effectiveEnd: '2026-05-31' });
    expect(differingDays(plan(version(1, firstQuarter), second), plan())).to.deep.equal({
      from: '2026-01-01',
      to: '2026-05-31',
    });
  });

  it('end before the next day on which a version starts or ends, whatever the order of the versions is', () => {
    const later = version(2, { effectiveStart: '2026-03-01' });
    expect(differingDays(plan(later, version(1, february)), plan(later))).to.deep.equal({
      from: '2026-02-01',
      to: '2026-02-28',
    });
  });

  it('are all of a plan that is stopped or started', () => {
    const stopped = { ...plan(version(1, firstQuarter)), isActive: false };
    for (const [old, now] of [
      [stopped, plan(version(1, firstQuarter))],
      [plan(version(1, firstQuarter)), stopped],
    ] as const)
      expect(differingDays(old, now)).to.deep.equal({ from: '2026-01-01', to: '2026-03-31' });
  });

  it('are restated unless they are stopped after it', () => {
    const archived = plan(version(1, { ...firstQuarter, status: 'archived' }), version(2, april));
    expect(restatedDays(plan(version(1, firstQuarter)), archived)).to.deep.equal({ from: '2026-04-01', to: latestDay });
    expect(
      restatedDays(plan(version(1, firstQuarter)), plan(version(1, { ...firstQuarter, status: 'archived' }))),
    ).to.equal(null);
  });
});
