import { sql } from 'kysely';
import { type HeldEvent } from '../engine/calculate.js';
import { type Day, type DayRange, isWithin } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { cellsOf, rowsFrom } from '../platform/database/columns.js';
import { type Phase } from '../platform/database/tables.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { type CountedRow } from './counted-rows.js';
import { type RepTerms, retentionOf } from './rep-terms.js';
import { heldTruedUp, type TruedUpRow } from './trued-up-rows.js';

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

/** What of the ledger the engine must not change. */
export interface HeldRows {
  readonly held: readonly HeldEvent[];
  /** The earned rows of approved periods, by event id: no run writes them. */
  readonly frozenIds: ReadonlySet<string>;
}

/**
 * The rows that the engine must not change. Those of an approved period are frozen; where the period is trued up, its
 * trued-up rows are, and the keys that only its approved rows have are owned. Kept rows were earned under an assignment
 * that was deleted since, or lie on a stopped day: they stay while their deal exists.
 */
export async function heldRows(
  trx: Work,
  terms: RepTerms,
  rows: readonly StandingRow[],
  truedUp: readonly TruedUpRow[],
): Promise<HeldRows> {
  const frozenOf = (row: StandingRow) => terms.frozen.find(({ range }) => isWithin(row.earnedOn, range));
  // A reversed row holds nothing: whether it exists depends on the order in which changes arrived.
  const earned = rows.filter((row) => row.status === 'earned');
  const counted = new Set(truedUp.map(naturalKey));
  const isCounted = (row: StandingRow) => counted.size > 0 && counted.has(naturalKey(row));
  const frozen: StandingRow[] = [];
  const held = truedUp.map(heldTruedUp);
  for (const row of earned) {
    const period = frozenOf(row);
    if (period === undefined) continue;
    frozen.push(row);
    if (!period.truedUp) held.push(heldOf(row, 'frozen'));
    else if (!isCounted(row)) held.push(ownedBy(row, period.period));
  }
  const isRetained = retentionOf(terms);
  const withdrawn = earned.filter(
    (row) => frozenOf(row) === undefined && !isCounted(row) && isRetained(row.planId, row.earnedOn),
  );
  const owners = await ownersOfDeals(trx, terms.workspaceId, withdrawn);
  return {
    held: [...held, ...keptRows(terms.repId, withdrawn, owners).map((row) => heldOf(row, 'kept'))],
    frozenIds: new Set(frozen.map((row) => row.eventId)),
  };
}

/** Of the rows whose terms were withdrawn those whose deal exists and, for rows on own deals, still belongs to the rep. */
export function keptRows<Row extends Pick<CountedRow, 'phase' | 'dealKey'>>(
  repId: string,
  withdrawn: readonly Row[],
  owners: ReadonlyMap<string, string | null>,
): Row[] {
  return withdrawn.filter(
    ({ phase, dealKey }) =>
      phase === 'periodic' || (phase === 'per_deal' ? owners.get(dealKey) === repId : owners.has(dealKey)),
  );
}

export function naturalKey({ planId, ruleName, dealKey }: Pick<CountedRow, 'planId' | 'ruleName' | 'dealKey'>): string {
  return `${planId}|${ruleName}|${dealKey}`;
}

function ownedBy(row: StandingRow, frozenPeriod: string): HeldEvent {
  const nothing = { credit: Decimal.zero, base: Decimal.zero, amount: Decimal.zero, tierName: null };
  return { ...heldOf(row, 'owned'), ...nothing, frozenPeriod };
}

export function heldOf(
  row: Omit<StandingRow, 'eventId' | 'status' | 'idempotencyKey'>,
  hold: HeldEvent['hold'],
): HeldEvent {
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

/** The owners of the deals behind the rows, of the deals that exist. */
export async function ownersOfDeals(
  trx: Work,
  workspaceId: string,
  rows: readonly Pick<CountedRow, 'dealKey'>[],
): Promise<ReadonlyMap<string, string | null>> {
  if (rows.length === 0) return new Map();
  const dealKeys = [...new Set(rows.map((row) => row.dealKey))];
  const { rows: deals } = await sql<{ dealId: string; repId: string | null }>`
    select deal_id as "dealId", rep_id as "repId" from deals
    where workspace_id = ${workspaceId} and deleted_at is null
      and deal_id = any(array(select id from ${rowsFrom(dealKeys, [['id', 'text', (key) => key]])}))`.execute(trx);
  return new Map(deals.map((deal) => [deal.dealId, deal.repId]));
}
