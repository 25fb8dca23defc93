import { sql } from 'kysely';
import { needsWholePeriod } from '../../engine/carried-credit.js';
import { type DayRange, isWithin, overlap } from '../../kernel/day.js';
import { unnestRows } from '../../platform/database/columns.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type LoadedRepInput } from '../input/rep-input.js';
import { hasRule, type RepTerms } from '../input/rep-terms.js';
import { type PendingRequest } from '../lanes/lanes.js';

/** Why an approved period is compared with a new calculation. */
export interface CheckCause {
  /** The trigger of a calculation, or `statement_approved`. */
  readonly kind: string;
  readonly dealId: string | null;
}

export interface PeriodCheck {
  readonly repId: string;
  readonly period: string;
  readonly causes: readonly CheckCause[];
}

/**
 * The days on which amounts may differ after a change on `days`, within the window of its calculation. Deals are
 * calculated in the order of their close dates, so earlier days stay unless a rule reads its whole attainment period.
 */
export function affectedDays(terms: Pick<RepTerms, 'versions'>, days: DayRange, window: DayRange): DayRange {
  return { from: hasRule(terms, needsWholePeriod) ? window.from : days.from, to: window.to };
}

/**
 * The approved periods whose new total a run may have changed: those that share affected days, and those that own a key
 * of a deal that closes on these days now. The days of a change include those of rows of deals that were deleted or have
 * a new owner.
 */
export function selectPeriodsToCheck(
  { frozen }: Pick<RepTerms, 'frozen'>,
  days: DayRange,
  input: Pick<LoadedRepInput, 'deals' | 'teamDeals' | 'stored' | 'frozenIds' | 'fixed'>,
): string[] {
  if (frozen.length === 0) return [];
  const isNear = ({ range }: RepTerms['frozen'][number]) => overlap(range, days);
  const owners = new Set(frozen.every(isNear) ? [] : findOwningPeriods(frozen, days, input));
  return frozen.filter((period) => isNear(period) || owners.has(period.period)).map(({ period }) => period);
}

/** The approved periods that own a key of a deal that closes on the days. */
function findOwningPeriods(
  frozen: RepTerms['frozen'],
  days: DayRange,
  { deals, teamDeals, stored, frozenIds, fixed }: Parameters<typeof selectPeriodsToCheck>[2],
): string[] {
  const all = [...deals, ...teamDeals.map(({ deal }) => deal)];
  const dealIds = new Set(all.filter(({ closeDate }) => isWithin(closeDate, days)).map(({ dealId }) => dealId));
  const approved = stored
    .filter((row) => frozenIds.has(row.eventId) && dealIds.has(row.dealKey))
    .flatMap((row) => frozen.find(({ range }) => isWithin(row.earnedOn, range))?.period ?? []);
  const truedUp = fixed.flatMap((row) => (dealIds.has(row.dealKey) ? (row.frozenPeriod ?? []) : []));
  return [...approved, ...truedUp];
}

const maxCauses = 5;

export function distinctCauses(requests: readonly PendingRequest[]): CheckCause[] {
  const causes = new Map(
    requests.map(({ trigger, deal_id: dealId }) => [`${trigger} ${dealId}`, { kind: trigger, dealId }]),
  );
  return [...causes.values()].slice(0, maxCauses);
}

/** Stores the checks with the commit, so that none is lost. A job after the commit carries them out. */
export function requestChecks(tx: Transaction, checks: readonly PeriodCheck[]): void {
  if (checks.length === 0) return;
  const insert = sql`
    insert into period_checks (workspace_id, rep_id, period, causes)
    select ${tx.workspaceId}::uuid, rep_id, period, causes
    from ${unnestRows(checks, [
      ['rep_id', 'uuid', ({ repId }) => repId],
      ['period', 'text', ({ period }) => period],
      ['causes', 'jsonb', ({ causes }) => JSON.stringify(causes)],
    ])}`;
  tx.writeWithCommit(insert);
}
