import { sql } from 'kysely';
import { type HeldEvent } from '../engine/calculate.js';
import { type Day, type DayRange, isWithin } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { cellsOf } from '../platform/database/columns.js';
import { type Phase } from '../platform/database/tables.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { type RepTerms, wasWithdrawn } from './rep-terms.js';

/** An engine-written row as it stands in the ledger. */
export interface StandingRow {
  readonly eventId: string;
  readonly status: 'earned' | 'reversed';
  readonly dealKey: string;
  readonly planId: string;
  readonly ruleName: string;
  readonly phase: Phase;
  readonly amount: string;
  readonly base: string;
  readonly credit: string;
  readonly tierName: string | null;
  readonly attainmentKey: string;
  readonly currency: string;
  readonly period: string;
  readonly earnedOn: Day;
  readonly idempotencyKey: string;
}

const columns = [
  sql`e.event_id`,
  sql`e.status`,
  sql`e.deal_key`,
  sql`e.plan_id`,
  sql`e.rule_name`,
  sql`e.phase`,
  sql`e.amount`,
  sql`e.base`,
  sql`e.credit`,
  sql`e.tier_name`,
  sql`e.attainment_key`,
  sql`e.currency`,
  sql`e.period`,
  sql`e.earned_on`,
  sql`e.idempotency_key`,
];

/** The columns of an engine-written row are never null, but for the tier that was not reached. */
function standingRow(cells: (string | null)[]): StandingRow {
  const [eventId, status, dealKey, planId, ruleName, phase, amount, base, credit, tierName, ...rest] =
    cells as string[];
  const [attainmentKey, currency, period, earnedOn, idempotencyKey] = rest;
  return {
    eventId,
    status,
    dealKey,
    planId,
    ruleName,
    phase,
    amount,
    base,
    credit,
    tierName,
    attainmentKey,
    currency,
    period,
    earnedOn,
    idempotencyKey,
  } as StandingRow;
}

/** The rep's rows in the window, and the frozen ones outside it that hold the natural key of a deal within. */
export async function loadStandingRows(trx: Work, terms: RepTerms, window: DayRange): Promise<StandingRow[]> {
  const { workspaceId, repId } = terms;
  const outside = terms.frozen.filter(({ range }) => range.to < window.from || range.from > window.to);
  const [within, elsewhere] = await Promise.all([
    cellsOf(
      trx,
      columns,
      sql`commission_events e
        where e.workspace_id = ${workspaceId} and e.rep_id = ${repId} and e.kind = 'commission_earned'
          and e.earned_on between ${window.from} and ${window.to}`,
    ),
    outside.length === 0
      ? []
      : cellsOf(
          trx,
          columns,
          sql`commission_events e
            join deals d on d.workspace_id = e.workspace_id and d.deal_id = e.deal_key
              and d.close_date between ${window.from} and ${window.to}
            where e.workspace_id = ${workspaceId} and e.rep_id = ${repId} and e.kind = 'commission_earned'
              and (${sql.join(
                outside.map(({ range }) => sql`e.earned_on between ${range.from} and ${range.to}`),
                sql` or `,
              )})`,
        ),
  ]);
  return [...within, ...elsewhere].map(standingRow);
}

/**
 * The rows that the engine must take as they stand. Frozen ones lie in an approved period. Kept ones earned under
 * an assignment that was deleted or a plan version that was withdrawn since: historical events are kept, as long as
 * their deal is.
 */
export async function heldRows(trx: Work, terms: RepTerms, rows: readonly StandingRow[]): Promise<HeldEvent[]> {
  const isFrozen = (row: StandingRow) => terms.frozen.some(({ range }) => isWithin(row.earnedOn, range));
  // Whether a reversed row stands there depends on the order in which news came, and it says nothing of pay: it holds nothing.
  const earned = rows.filter((row) => row.status === 'earned');
  const frozen = earned.filter(isFrozen);
  const withdrawn = earned.filter((row) => !isFrozen(row) && wasWithdrawn(terms, row.planId, row.earnedOn));
  const alive = await liveDeals(trx, terms, withdrawn);
  const kept = withdrawn.filter((row) => row.phase === 'periodic' || alive.has(row.dealKey));
  return [...frozen.map((row) => heldOf(row, 'frozen')), ...kept.map((row) => heldOf(row, 'kept'))];
}

function heldOf(row: StandingRow, hold: HeldEvent['hold']): HeldEvent {
  return {
    planId: row.planId,
    ruleName: row.ruleName,
    dealKey: row.dealKey,
    phase: row.phase,
    hold,
    earnedOn: row.earnedOn,
    period: row.period,
    attainmentKey: row.attainmentKey,
    credit: Decimal.of(row.credit),
    base: Decimal.of(row.base),
    amount: Decimal.of(row.amount),
    tierName: row.tierName,
  };
}

/** Of the deals behind the rows those that exist and, for rows on own deals, still belong to the rep. */
async function liveDeals(trx: Work, terms: RepTerms, rows: readonly StandingRow[]): Promise<ReadonlySet<string>> {
  if (rows.length === 0) return new Set();
  const own = new Set(rows.filter((row) => row.phase === 'per_deal').map((row) => row.dealKey));
  const deals = await trx
    .selectFrom('deals')
    .select(['deal_id', 'rep_id'])
    .where('workspace_id', '=', terms.workspaceId)
    .where('deal_id', 'in', [...new Set(rows.map((row) => row.dealKey))])
    .where('deleted_at', 'is', null)
    .execute();
  return new Set(
    deals.filter((deal) => deal.rep_id === terms.repId || !own.has(deal.deal_id)).map((deal) => deal.deal_id),
  );
}
