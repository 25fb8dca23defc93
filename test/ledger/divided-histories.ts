import fc from 'fast-check';
import { TwoLevels } from './divided-teams.js';

const days = ['2025-12-31', '2026-01-01', '2026-01-02', '2026-01-15', '2026-01-31', '2026-02-01', '2026-02-02'].concat([
  '2026-02-20',
  '2026-03-10',
  '2026-03-11',
  '2026-03-31',
  '2026-04-01',
]);

const step = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      does: fc.constant('put' as const),
      deal: fc.nat({ max: 17 }),
      rep: fc.nat({ max: 2 }),
      day: fc.constantFrom(...days),
      amount: fc.constantFrom(-50, 0, 10, 33.33, 120, 250.5),
      units: fc.constantFrom(0, 1, 1, 1, 2, -1),
    }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('delete' as const), deal: fc.nat({ max: 17 }) }) },
  { weight: 8, arbitrary: fc.record({ does: fc.constant('run' as const), rep: fc.nat({ max: 4 }) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('quota' as const), target: fc.constantFrom(1, 4, 12) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('complete' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('approve' as const), month: fc.constantFrom('2026-01', '2026-02') }),
  },
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function execute(levels: TwoLevels, one: Step, maxDeals: number, approved: Set<string>): Promise<void> {
  switch (one.does) {
    case 'put':
      return levels.put(`d${one.deal}`, one.rep, one.day, one.amount, one.units);
    case 'delete':
      return void (await levels.workspace.remove(`d${one.deal}`));
    case 'run':
      return void (await levels.workspace.calculate([levels.everyone[one.rep] as string], { maxDeals }));
    case 'quota':
      return levels.setQuota(levels.manager, 'Team', one.target);
    case 'complete':
      return levels.complete(maxDeals);
    case 'approve':
      if (approved.has(one.month)) return;
      approved.add(one.month);
      // An approval comes after all earlier requests.
      await levels.complete(maxDeals);
      return levels.workspace.insert.statement(levels.manager, one.month, 'approved');
  }
}

/** Compares lanes that are divided after every few deals with an undivided calculation. */
export function describeDividedHistories(numRuns: number, seed: number): void {
  describe(`two levels of managers whose lanes are divided, in random histories, seed ${seed}`, function () {
    this.timeout(120_000 + numRuns * 60_000);

    it(`have the events of an undivided calculation in ${numRuns} histories`, () =>
      fc.assert(
        fc.asyncProperty(
          fc.array(step, { minLength: 30, maxLength: 60, size: 'max' }),
          fc.constantFrom(1, 2, 3, 5),
          async (steps, maxDeals) => {
            const levels = await TwoLevels.create();
            const approved = new Set<string>();
            for (const one of steps) await execute(levels, one, maxDeals, approved);
            await levels.complete(maxDeals);
            await levels.expectCalculated();
            if (approved.size === 0) await levels.expectSameFromNothing(maxDeals);
          },
        ),
        { numRuns, seed, endOnFailure: true },
      ));
  });
}
