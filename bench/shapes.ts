import { type BenchService, startBenchService } from './bench-service.js';
import { alternating, count, duration, ratio, type Table } from './measure.js';
import { recalculate, type Sizes } from './recalculation.js';
import { assertAllPaid, emptyLedger, makeSalesYear, type SalesYear } from './sales-year.js';

const sizes = [10_000, 100_000];
const numbersOfReps = [1, 20, 200, 2000, 20_000];

/** The first calculation after an import of the same deals, distributed over few or many reps. */
export async function shapes({ small }: Sizes): Promise<Table[]> {
  const tables: Table[] = [];
  for (const deals of sizes.slice(0, small ? 1 : 2)) {
    await using service = await startBenchService();
    tables.push(await shapesOf(service, deals, small ? 2 : 5));
  }
  return tables;
}

async function shapesOf(service: BenchService, deals: number, rounds: number): Promise<Table> {
  const years: SalesYear[] = [];
  for (const reps of shapesToRun().filter((reps) => reps <= deals))
    years.push(await makeSalesYear(service, deals, reps));
  const measured = await alternating(
    years.map((year) => ({
      name: `${count(year.repIds.length)} × ${count(deals / year.repIds.length)}`,
      prepare: () => emptyLedger(year),
      run: () => recalculate(year, {}),
    })),
    rounds,
  );
  await assertAllPaid(years.at(-1) as SalesYear);
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
  return chosen === undefined ? numbersOfReps : chosen.split(',').map(Number);
}
