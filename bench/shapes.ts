import { type BenchService, startBenchService } from './bench-service.js';
import { alternating, count, duration, ratio, type Table } from './measure.js';
import { recalculate } from './recalculation.js';
import { emptyLedger, makeSalesYear, type SalesYear } from './sales-year.js';
import { type Size } from './size.js';
import { teams } from './teams.js';
import { listFirstCalculationEffects } from './year-effects.js';

const sizes: Readonly<Record<Size, readonly number[]>> = {
  quick: [1000],
  small: [10_000],
  usual: [10_000, 100_000],
  large: [10_000, 100_000],
};
const rounds: Readonly<Record<Size, number>> = { quick: 1, small: 2, usual: 5, large: 5 };
const repCounts = [1, 20, 200, 2000, 20_000];

/** The first calculation after an import of the same deals, distributed over few or many reps, and managers above many. */
export async function* shapes(size: Size): AsyncGenerator<Table> {
  for (const deals of sizes[size]) {
    await using service = await startBenchService();
    yield await measureShapes(service, deals, rounds[size]);
  }
  yield* teams(size);
}

async function measureShapes(service: BenchService, deals: number, rounds: number): Promise<Table> {
  const years: SalesYear[] = [];
  for (const reps of shapesToRun().filter((reps) => reps <= deals))
    years.push(await makeSalesYear(service, deals, reps));
  const measured = await alternating(
    years.map((year) => ({
      name: `${count(year.repIds.length)} × ${count(deals / year.repIds.length)}`,
      effects: listFirstCalculationEffects(year),
      prepare: () => emptyLedger(year),
      run: () => recalculate(year, {}),
    })),
    rounds,
  );
  const best = Math.min(...measured.map(({ median }) => median));
  return {
    title: `First calculation of ${count(deals)} deals by number of reps`,
    columns: ['reps × deals', 'median', 'against the best'],
    rows: measured.map(({ name, median }) => [name, duration(median), ratio(median / best)]),
  };
}

/** SHAPES=1,200 measures some of the numbers of reps. */
function shapesToRun(): number[] {
  const chosen = process.env['SHAPES'];
  return chosen === undefined ? repCounts : chosen.split(',').map(Number);
}
