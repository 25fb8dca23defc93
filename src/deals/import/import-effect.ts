import { sql } from 'kysely';
import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { type Day, overlap } from '../../kernel/day.js';
import { Decimal } from '../../kernel/decimal.js';
import { sumsByCurrency } from '../../kernel/sums-by-currency.js';
import { type Forecast, forecastDeals, type MovedRow } from '../../ledger/forecast.js';
import { OwedByPeriods } from '../../ledger/owed-by-periods.js';
import { type RepTerms } from '../../ledger/rep-terms.js';
import { type Work } from '../../platform/database/unit-of-work.js';
import { type ImportResult } from './import-rows.js';

/** A calculation of more deals would hold the import lock of the workspace for too long. */
export const maxForecastDeals = 20_000;

export const importEffect = z
  .object({
    lines: z.int().describe('Number of commission lines of open periods that would be added, changed or removed'),
    reps: z.int().describe('Number of people whose commission would change'),
    totals: z
      .array(
        z
          .object({
            currency: z.string().describe('Currency of the amount, ISO 4217 code'),
            delta: z.number().describe('Change of commission in open periods'),
          })
          .describe('The change in one currency'),
      )
      .describe('The change of commission, by currency'),
    locked: z
      .array(
        z
          .object({
            repId: fields.repId,
            period: z.string().describe('The approved period'),
            currency: z.string().describe('Currency of the amount, ISO 4217 code'),
            delta: z.number().describe('What the period would owe in addition; negative if it paid too much'),
          })
          .describe('An approved period'),
      )
      .describe('Approved periods in which the deals would open a discrepancy. The periods do not change'),
  })
  .describe('What the import would do to commission');
type ImportEffect = z.input<typeof importEffect>;

interface ImportWithEffect {
  readonly result: ImportResult;
  /** Null if more deals are new or changed than can be calculated at once. */
  readonly effect: ImportEffect | null;
}

/** Writes the deals, calculates what they change, and rolls them back. */
export async function importForEffect(
  trx: Work,
  workspaceId: string,
  write: () => Promise<ImportResult>,
  today: Day,
): Promise<ImportWithEffect> {
  await sql`savepoint before_import`.execute(trx);
  const result = await write();
  if (result.accepted > maxForecastDeals) return { result, effect: null };
  const forecast = await forecastDeals(trx, workspaceId, result.affected, today);
  const after = await owedOf(trx, forecast, today);
  await sql`rollback to savepoint before_import`.execute(trx);
  const locked = after.since(await owedOf(trx, forecast, today));
  return { result, effect: { ...movementOf(forecast.moved), locked } };
}

/** What the approved periods around the deals would pay with the stored deals. */
function owedOf(trx: Work, { terms, window }: Pick<Forecast, 'terms' | 'window'>, today: Day): Promise<OwedByPeriods> {
  const within = ({ frozen }: RepTerms) =>
    window === null ? [] : frozen.filter(({ range }) => overlap(range, window));
  return OwedByPeriods.load(trx, terms.values(), within, today);
}

function movementOf(moved: readonly MovedRow[]): Omit<ImportEffect, 'locked'> {
  const sums = new Map<string, Decimal>();
  const reps = new Set<string>();
  let lines = 0;
  for (const row of moved) {
    const deltas = deltasOf(row);
    if (deltas.length === 0) continue;
    lines += 1;
    reps.add(row.repId);
    for (const [currency, delta] of deltas) sums.set(currency, (sums.get(currency) ?? Decimal.zero).plus(delta));
  }
  return { lines, reps: reps.size, totals: [...sums].map(([currency, sum]) => ({ currency, delta: sum.toNumber() })) };
}

/** The change of a row by currency; none if its amount stays. */
function deltasOf({ before, after }: MovedRow): readonly (readonly [currency: string, delta: Decimal])[] {
  const was = before === null ? [] : [{ ...before, amount: Decimal.of(before.amount).negated().toString() }];
  const is = after === null ? [] : [after];
  return [...sumsByCurrency([...was, ...is])].filter(([, delta]) => !delta.isZero());
}
