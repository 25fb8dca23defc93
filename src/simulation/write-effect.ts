import { sql } from 'kysely';
import { z } from 'zod';
import { addTo } from '../kernel/add-to.js';
import { allDays, type Day, type DayRange, intersection, overlap } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { getOrInsert } from '../kernel/get-or-insert.js';
import { sumsByCurrency } from '../kernel/sums-by-currency.js';
import { loadTerms, type RepTerms } from '../ledger/input/rep-terms.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { flag } from '../platform/operations/schemas.js';
import { countForecastDeals, forecastDeals } from './forecast.js';
import { type MovedRow, type RowState, withinRange } from './moved-rows.js';
import { OwedByPeriods } from './owed-by-periods.js';

/** A calculation of more deals would hold the lock of the workspace for too long. */
export const maxForecastDeals = 20_000;

/** The query of an operation whose dry run says what it would do to commission. */
export const dryRunQuery = z.strictObject({
  dryRun: flag.default(false).describe('true: say what the change would do to commission, and change nothing'),
});

const currency = z.string().describe('Currency of the amount, ISO 4217 code');

export const commissionEffect = z
  .object({
    lines: z.int().describe('Number of commission lines of open periods that would be added, changed or removed'),
    reps: z.int().describe('Number of people whose commission would change'),
    totals: z
      .array(
        z
          .object({ currency, delta: z.number().describe('Change of commission in open periods') })
          .describe('The change in one currency'),
      )
      .describe('The change of commission, by currency'),
    locked: z
      .array(
        z
          .object({
            repId: z.string().describe('Id of the rep (UUID)'),
            period: z.string().describe('The approved period'),
            currency,
            delta: z.number().describe('What the period would owe in addition; negative if it paid too much'),
          })
          .describe('An approved period'),
      )
      .describe('Approved periods in which the change would open a discrepancy. The periods do not change'),
  })
  .describe('What the change would do to commission');
export type CommissionEffect = z.input<typeof commissionEffect>;

/** The largest changes; a change of one person has fewer. */
const maxMovements = 1000;

/** The effect of a change that concerns people, with what it does to each of them. */
export const personalEffect = commissionEffect.extend({
  byPeriod: z
    .array(
      z
        .object({
          repId: z.string().describe('Id of the rep (UUID)'),
          period: z.string().describe('Attainment period of the lines, such as 2026-Q1'),
          currency,
          before: z.number().describe('Commission of these lines now'),
          after: z.number().describe('Commission of these lines after the change'),
          delta: z.number().describe('after minus before'),
        })
        .describe('What the change does to one person in one period'),
    )
    .describe(
      `Lines of open periods that would change, by person and period, largest change first; at most ${maxMovements}`,
    ),
});
export type PersonalEffect = z.input<typeof personalEffect>;

/** The effect of a change that several plans share, with what it does to each of them. */
export const planEffect = personalEffect.extend({
  byPlan: z
    .array(
      z
        .object({
          planId: z.string().describe('Id of the plan (UUID)'),
          currency,
          before: z.number().describe('Commission of these lines now'),
          after: z.number().describe('Commission of these lines after the change'),
          delta: z.number().describe('after minus before'),
        })
        .describe('What the change does to one plan'),
    )
    .describe('Lines of open periods that would change, by plan, largest change first'),
});
type PlanEffect = z.input<typeof planEffect>;

/** What a write returns. */
export interface Written<Result> {
  /** The part of the response that the write decides. */
  readonly result: Result;
  /** The reps whom it affects, with the days; null if they have too many deals for a calculation. */
  readonly affected: ReadonlyMap<string, DayRange> | null;
  /** Only what is earned on these days is compared; absent: on all days. */
  readonly compared?: DayRange;
}

/** How a write moves the rows of open periods and what approved ones owe. */
export interface Movement {
  readonly moved: readonly MovedRow[];
  readonly locked: CommissionEffect['locked'];
}

export function toCommissionEffect({ moved, locked }: Movement): CommissionEffect {
  return { ...sumMovement(moved), locked };
}

export function toPersonalEffect(movement: Movement): PersonalEffect {
  const byPeriod = listChanges(movement.moved, ({ repId }, { period, currency: code }) => ({
    repId,
    period,
    currency: code,
  }));
  return { ...toCommissionEffect(movement), byPeriod };
}

export function toPlanEffect(movement: Movement): PlanEffect {
  const byPlan = listChanges(movement.moved, ({ planId }, { currency: code }) => ({ planId, currency: code }));
  return { ...toPersonalEffect(movement), byPlan };
}

/** Writes, calculates what the write changes for the reps whom it affects, and rolls it back. */
export async function computeMovement<Result>(
  tx: Transaction,
  today: Day,
  write: () => Promise<Written<Result>>,
): Promise<{ readonly result: Result; readonly movement: Movement | null }> {
  await sql`savepoint before_write`.execute(tx.db);
  const { result, affected, compared = allDays } = await write();
  if (affected === null) {
    await sql`rollback to savepoint before_write`.execute(tx.db);
    return { result, movement: null };
  }
  const { moved, terms, window } = await forecastDeals(tx, affected, today);
  const owedIn = window !== null && overlap(window, compared) ? intersection(window, compared) : null;
  const after = await loadOwed(tx, [...terms.values()], owedIn, today);
  await sql`rollback to savepoint before_write`.execute(tx.db);
  const stored = terms.size === 0 ? [] : await loadTerms(tx, [...terms.keys()]);
  const locked = after.since(await loadOwed(tx, stored, owedIn, today));
  return { result, movement: { moved: withinRange(moved, compared), locked } };
}

/** The reps with the days, or null if the calculation would read too many deals. */
export async function loadAffectedWithin(
  tx: Transaction,
  affected: ReadonlyMap<string, DayRange>,
): Promise<ReadonlyMap<string, DayRange> | null> {
  return (await countForecastDeals(tx, affected, maxForecastDeals)) > maxForecastDeals ? null : affected;
}

/** What the approved periods around the days would pay. */
function loadOwed(
  tx: Transaction,
  terms: readonly RepTerms[],
  window: DayRange | null,
  today: Day,
): Promise<OwedByPeriods> {
  const within = ({ frozen }: RepTerms) =>
    window === null ? [] : frozen.filter(({ range }) => overlap(range, window));
  return OwedByPeriods.load(tx, terms, within, today);
}

function sumMovement(moved: readonly MovedRow[]): Omit<CommissionEffect, 'locked'> {
  const sums = new Map<string, Decimal>();
  const reps = new Set<string>();
  let lines = 0;
  for (const row of moved) {
    const deltas = computeDeltas(row);
    if (deltas.length === 0) continue;
    lines += 1;
    reps.add(row.repId);
    for (const [code, delta] of deltas) addTo(sums, code, delta);
  }
  return {
    lines,
    reps: reps.size,
    totals: [...sums].map(([code, sum]) => ({ currency: code, delta: sum.toNumber() })),
  };
}

/** The sums of the rows by a key, before and after, with the largest change first; keys of equal changes in their order. */
function listChanges<Key extends object>(
  moved: readonly MovedRow[],
  keyOf: (row: MovedRow, state: RowState) => Key,
): (Key & { before: number; after: number; delta: number })[] {
  const sums = new Map<string, { readonly key: Key; before: Decimal; after: Decimal }>();
  for (const row of moved)
    for (const side of ['before', 'after'] as const) {
      const state = row[side];
      if (state === null) continue;
      const key = keyOf(row, state);
      const empty = { key, before: Decimal.zero, after: Decimal.zero };
      const total = getOrInsert(sums, Object.values(key).join('|'), () => empty);
      total[side] = total[side].plus(Decimal.of(state.amount));
    }
  return [...sums]
    .map(([order, { key, before, after }]) => {
      const delta = after.minus(before).toNumber();
      return { order, change: { ...key, before: before.toNumber(), after: after.toNumber(), delta } };
    })
    .filter(({ change }) => change.delta !== 0)
    .sort((a, b) => Math.abs(b.change.delta) - Math.abs(a.change.delta) || (a.order < b.order ? -1 : 1))
    .slice(0, maxMovements)
    .map(({ change }) => change);
}

/** The change of a row by currency; none if its amount stays. */
function computeDeltas({ before, after }: MovedRow): readonly (readonly [currency: string, delta: Decimal])[] {
  const was = before === null ? [] : [{ ...before, amount: Decimal.of(before.amount).negated().toString() }];
  const is = after === null ? [] : [after];
  return [...sumsByCurrency([...was, ...is])].filter(([, delta]) => !delta.isZero());
}
