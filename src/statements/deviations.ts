import { sql } from 'kysely';
import { Decimal } from '../kernel/decimal.js';
import { type Period, periodKind, periodRange } from '../kernel/period.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type TeamMemberStatement } from './team-statements.js';

/** Fewer months do not show what is usual for a rep. */
const minMonths = 6;

/**
 * By rep, the mean and the standard deviation of what was earned in the 12 months before. Months without an amount are not
 * counted. Empty for other periods than months.
 */
export async function readMeans(
  tx: Transaction,
  { period, currency }: { readonly period: Period; readonly currency: string },
  repIds: readonly string[],
): Promise<ReadonlyMap<string, { readonly mean: string; readonly deviation: string }>> {
  if (periodKind(period) !== 'monthly') return new Map();
  const { from } = periodRange(period);
  const { rows } = await sql<{ repId: string; mean: string; deviation: string }>`
    select rep_id as "repId", avg(total)::text as mean, stddev_samp(total)::text as deviation
    from (
      select rep_id, commission + bonus + adjustments as total
      from rep_months
      where workspace_id = ${tx.workspaceId} and currency = ${currency}
        and rep_id = any(${repIds}::uuid[])
        and month >= ${from}::date - interval '12 months' and month < ${from}::date
    ) months
    where total <> 0
    group by rep_id
    having count(*) >= ${minMonths} and stddev_samp(total) > 0`.execute(tx.db);
  return new Map(rows.map((row) => [row.repId, row]));
}

/** By rep, how many standard deviations the net payout of the month lies above or below {@link readMeans}. */
export async function readDeviations(
  tx: Transaction,
  { period, currency }: { readonly period: Period; readonly currency: string },
  members: readonly Pick<TeamMemberStatement, 'repId' | 'main'>[],
): Promise<ReadonlyMap<string, number>> {
  const usual = await readMeans(
    tx,
    { period, currency },
    members.map(({ repId }) => repId),
  );
  return new Map(
    members.flatMap(({ repId, main }) => {
      const { mean, deviation } = usual.get(repId) ?? {};
      if (mean === undefined || deviation === undefined || main.currency !== currency) return [];
      const distance = Decimal.of(main.summary.netPayout).minus(Decimal.of(mean));
      return [[repId, distance.dividedBy(Decimal.of(deviation)).rounded(1).toNumber()] as const];
    }),
  );
}
