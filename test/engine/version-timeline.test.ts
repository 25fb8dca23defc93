import { expect } from 'chai';
import type { WorldPlan, WorldPlanVersion } from '#test/support/oracle/world.js';
import { amounts, deal, EXAMPLE, ledgerOf, rule, version, world } from './small-world.js';

function at(number: number, values: Partial<WorldPlanVersion> = {}): WorldPlanVersion {
  return version({ rules: [rule()] }, { planVersionId: `v${number}`, version: number, ...values });
}

function planOf(...versions: WorldPlanVersion[]): WorldPlan {
  return { planId: 'p', status: 'active', versions };
}

const april = { effectiveStart: '2026-04-01' };
const july = { effectiveStart: '2026-07-01' };
const august = { effectiveStart: '2026-08-01' };

/** Versions of a plan, and the number of the version that pays a deal of each day, or null. */
const timelines: readonly (readonly [
  rule: string,
  versions: readonly WorldPlanVersion[],
  paying: Readonly<Record<string, number | null>>,
])[] = [
  [
    'the version with the latest start is in force, and among equal starts the highest number',
    [at(1), at(2, july), at(3, april), at(4, july)],
    { '2020-01-01': 1, '2026-03-31': 1, '2026-04-01': 3, '2026-06-30': 3, '2026-07-01': 4 },
  ],
  [
    'no earlier version applies after the end of the version in force',
    [at(1), at(2, { effectiveStart: '2026-02-01', effectiveEnd: '2026-02-28' })],
    { '2026-01-31': 1, '2026-02-28': 2, '2026-03-01': null },
  ],
  [
    'a correction replaces its source and leaves later versions unchanged',
    [at(1), at(2, july), at(3, { supersedes: 'v1' })],
    { '2026-06-30': 3, '2026-07-01': 2 },
  ],
  [
    'a version whose start moves to a later day no longer applies from its former start on',
    [at(1), at(2, july), at(3, { ...august, supersedes: 'v2' })],
    { '2026-07-01': 1, '2026-08-01': 3 },
  ],
  [
    'a superseded version applies again when the version that supersedes it is archived',
    [at(1), at(2, july), at(3, { ...august, supersedes: 'v2', status: 'archived' })],
    { '2026-06-30': 1, '2026-07-01': 2, '2026-08-01': 2 },
  ],
  [
    'an archived version does not replace the version before it',
    [at(1), at(2, { effectiveStart: '2026-02-01', status: 'archived' })],
    { '2026-01-31': 1, '2026-02-01': 1 },
  ],
];

describe('the version timeline (section 3), by the engine and by the oracle', () => {
  for (const [words, versions, paying] of timelines)
    it(words, () => {
      const deals = Object.keys(paying).map((day) => deal(day, day, 100));
      const rows = ledgerOf(world([], { plans: [planOf(...versions)], deals }));
      const versionOn = (day: string) => rows.find(({ dealId }) => dealId === day)?.planVersionId.slice(1);
      const found = Object.keys(paying).map((day) => [day, Number(versionOn(day)) || null]);
      expect(Object.fromEntries(found)).to.deep.equal(paying);
    });

  it('a stopped plan or version keeps the events of its days and no others', () => {
    const deals = ['2025-12-31', '2026-01-01', '2026-04-01'].map((day) => deal(day, day, 100));
    const storedRows = ledgerOf(world([rule()], { deals }));
    const days = { planVersionId: 'p-v1', effectiveStart: '2026-01-01', effectiveEnd: '2026-03-31' };
    for (const plan of [
      { ...planOf(at(1, days)), status: 'archived' as const },
      planOf(at(1, { ...days, status: 'draft' })),
    ])
      expect(amounts(world([], { plans: [plan], deals, storedRows }))).to.have.all.keys('2026-01-01');
  });

  it('a version that has never been active stops nothing', () => {
    const deals = ['2026-03-31', '2026-04-01'].map((day) => deal(day, day, 100));
    const storedRows = ledgerOf(world([rule()], { deals }));
    const ended = at(1, { planVersionId: 'p-v1', effectiveEnd: '2026-03-31' });
    for (const never of [
      at(2, { ...april, status: 'draft', hasBeenActive: false }),
      at(2, { supersedes: 'p-v1', status: 'draft', hasBeenActive: false }),
      at(2, { ...april, status: 'archived', hasBeenActive: false }),
    ])
      expect(amounts(world([], { plans: [planOf(ended, never)], deals, storedRows }))).to.have.all.keys('2026-03-31');
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
