import { sql } from 'kysely';
import { type Day, type DayRange, hull, isWithin } from '../kernel/day.js';
import { groupBy } from '../kernel/group-by.js';
import { type Period } from '../kernel/period.js';
import { type CountedRow } from '../ledger/input/counted-rows.js';
import { loadCurrentDays } from '../ledger/input/current-days.js';
import { loadTeam } from '../ledger/input/hierarchy.js';
import { naturalKey } from '../ledger/input/ledger-rows.js';
import { type FrozenPeriod, hasCascades, type RepTerms } from '../ledger/input/rep-terms.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type Overlay } from './overlay.js';
import { widenToSources } from './refunded-days.js';
import { calculateUnfrozenRows } from './unfrozen-rows.js';

/**
 * The rows that approved periods would have now if no period were frozen, for the rep and the reps below, by period: all
 * keys that the period owns, whatever their current date, and other keys dated in it that no other approved period of the
 * rep owns. Every key is thus counted by one period. The periods are calculated together.
 */
export async function dryRunPeriods(
  tx: Transaction,
  terms: RepTerms,
  periods: readonly FrozenPeriod[],
  asOf: Day,
  overlay?: Overlay,
): Promise<ReadonlyMap<Period, CountedRow[]>> {
  const keys = await loadOwnedKeys(tx, terms);
  const names = new Set(periods.map(({ period }) => period));
  const owned = new Set(keys.filter(({ owner }) => names.has(owner)).map((key) => key.dealKey));
  const ranges = periods.map(({ range }) => range);
  const ofKeys = [...ranges, ...(await loadCurrentDays(tx, [...owned]))].reduce(hull);
  const days = overlay === undefined ? ofKeys : await widenToEarned(tx, terms, ofKeys);
  const owners = new Map(keys.map((key) => [naturalKey(key), key.owner]));
  const findPeriod = (row: CountedRow): Period | undefined => {
    const owner = owners.get(naturalKey(row));
    if (owner !== undefined) return names.has(owner) ? owner : undefined;
    return periods.find(({ range }) => isWithin(row.earnedOn, range))?.period;
  };
  const byPeriod = groupBy(await calculateUnfrozenRows(tx, terms, days, asOf, overlay), findPeriod);
  return new Map([...byPeriod].flatMap(([period, rows]) => (period === undefined ? [] : [[period, rows]])));
}

/** The days with those on which the refunded deals of the rep and the reps below were earned, under assumed terms. */
async function widenToEarned(tx: Transaction, terms: RepTerms, days: DayRange): Promise<DayRange> {
  if (!terms.workspace.hasRefunds) return days;
  const below = hasCascades(terms) ? await loadTeam(tx, terms.repId) : [];
  return widenToSources(tx, days, [terms.repId, ...below.map(({ repId }) => repId)]);
}

interface OwnedKey extends Pick<CountedRow, 'planId' | 'ruleName' | 'dealKey'> {
  /** The approved period that owns the key. */
  readonly owner: string;
}

/** The keys of all approved periods of the rep, from approved rows and trued-up rows. */
async function loadOwnedKeys(tx: Transaction, { repId }: RepTerms): Promise<OwnedKey[]> {
  const { rows } = await sql<OwnedKey>`
    select e.plan_id as "planId", e.rule_name as "ruleName", e.deal_key as "dealKey", s.period as owner
    from commission_events e
    join statement_periods s on s.workspace_id = e.workspace_id and s.rep_id = e.rep_id and s.status = 'approved'
      and e.earned_on between s.from_day and s.to_day
    where e.workspace_id = ${tx.workspaceId} and e.rep_id = ${repId} and e.kind = 'commission_earned' and e.status = 'earned'
    union
    select plan_id, rule_name, deal_key, frozen_period from trued_up_rows
    where workspace_id = ${tx.workspaceId} and rep_id = ${repId}`.execute(tx.db);
  return rows;
}
