import { sql } from 'kysely';
import { type FixedEvent, type Phase } from '../engine/model.js';
import { type Day, type DayRange, isWithin } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { selectAsText, unnestRows } from '../platform/database/columns.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { type CountedRow } from './counted-rows.js';
import { type RepTerms, stoppedDaysOf, withdrawnDaysOf } from './rep-terms.js';
import { fixedTruedUp, type TruedUpRow } from './trued-up-rows.js';

/** An engine-written row as stored in the ledger. */
export interface LedgerRow {
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

/** Columns of an engine-written row are never null, except the tier name when no tier was reached. */
function storedRow(cells: (string | null)[]): LedgerRow {
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
  } as LedgerRow;
}

/**
 * The rep's rows in the window, and frozen or stopped rows outside it that occupy the natural key of a deal within
 * it.
 */
export async function loadLedgerRows(trx: Work, terms: RepTerms, window: DayRange): Promise<LedgerRow[]> {
  const { workspaceId, repId } = terms;
  const isStopped = stoppedDaysOf(terms);
  const isHeld = ({ planId, earnedOn }: LedgerRow) =>
    isStopped(planId, earnedOn) || terms.frozen.some(({ range }) => isWithin(earnedOn, range));
  const mayBeFixed =
    terms.frozen.some(({ range }) => range.from < window.from || range.to > window.to) ||
    terms.versions.some(({ status, planStatus }) => status !== 'active' || planStatus !== 'active');
  const [within, elsewhere] = await Promise.all([
    selectAsText(
      trx,
      columns,
      sql`commission_events e
        where e.workspace_id = ${workspaceId} and e.rep_id = ${repId} and e.kind = 'commission_earned'
          and e.earned_on between ${window.from} and ${window.to}`,
    ),
    !mayBeFixed
      ? []
      : selectAsText(
          trx,
          columns,
          sql`commission_events e
            join deals d on d.workspace_id = e.workspace_id and d.deal_id = e.deal_key
              and d.close_date between ${window.from} and ${window.to}
            where e.workspace_id = ${workspaceId} and e.rep_id = ${repId} and e.kind = 'commission_earned'
              and e.earned_on not between ${window.from} and ${window.to}`,
        ),
  ]);
  return [...within.map(storedRow), ...elsewhere.map(storedRow).filter(isHeld)];
}

/** The rows that the engine must not change. */
export interface FixedRows {
  readonly fixed: readonly FixedEvent[];
  /** The earned rows of approved periods, by event id: no run writes them. */
  readonly frozenIds: ReadonlySet<string>;
}

/**
 * The rows that the engine must not change. Earned rows of an approved period are frozen; if the period is trued up,
 * its trued-up rows are frozen, and keys that only its approved rows have are owned. Rows of stopped days stay while
 * their deal exists, whatever its current owner and close date. Retained rows were earned under an assignment that
 * was deleted later.
 */
export async function fixedRows(
  trx: Work,
  terms: RepTerms,
  rows: readonly LedgerRow[],
  truedUp: readonly TruedUpRow[],
): Promise<FixedRows> {
  const frozenOf = (row: LedgerRow) => terms.frozen.find(({ range }) => isWithin(row.earnedOn, range));
  // Reversed rows are ignored: whether one exists depends on the order in which changes arrived.
  const earned = rows.filter((row) => row.status === 'earned');
  const counted = new Set(truedUp.map(naturalKey));
  const isCounted = (row: LedgerRow) => counted.size > 0 && counted.has(naturalKey(row));
  const frozen: LedgerRow[] = [];
  const fixed = truedUp.map(fixedTruedUp);
  for (const row of earned) {
    const period = frozenOf(row);
    if (period === undefined) continue;
    frozen.push(row);
    if (!period.truedUp) fixed.push(fixedOf(row, 'frozen'));
    else if (!isCounted(row)) fixed.push(ownedBy(row, period.period));
  }
  const open = earned.filter((row) => frozenOf(row) === undefined && !isCounted(row));
  const kindOf = retainedBy(terms);
  const retained = open.filter((row) => kindOf(row) !== null);
  const owners = await ownersOfDeals(trx, terms.workspaceId, retained);
  return {
    fixed: [...fixed, ...retainedRows(terms, retained, owners).map((one) => one.fixed)],
    frozenIds: new Set(frozen.map((row) => row.eventId)),
  };
}

/**
 * Returns a function that says why a row outside approved periods stays: its day is stopped, or its assignment was
 * deleted.
 */
export function retainedBy(terms: RepTerms): (row: FixedRow) => 'stopped' | 'retained' | null {
  const isStopped = stoppedDaysOf(terms);
  const isWithdrawn = withdrawnDaysOf(terms);
  return ({ planId, earnedOn }) =>
    isStopped(planId, earnedOn) ? 'stopped' : isWithdrawn(planId, earnedOn) ? 'retained' : null;
}

/**
 * The retainable rows whose deal exists. A row on the rep's own deal under a deleted assignment moves with the deal
 * to its next owner.
 */
export function retainedRows<Row extends FixedRow>(
  terms: RepTerms,
  rows: readonly Row[],
  owners: ReadonlyMap<string, string | null>,
): { readonly row: Row; readonly fixed: FixedEvent }[] {
  const kindOf = retainedBy(terms);
  return rows.flatMap((row) => {
    const kind = kindOf(row);
    const isOwned = kind === 'stopped' || row.phase !== 'per_deal' || owners.get(row.dealKey) === terms.repId;
    const exists = row.phase === 'periodic' || owners.has(row.dealKey);
    return kind !== null && isOwned && exists ? [{ row, fixed: fixedOf(row, kind) }] : [];
  });
}

export function naturalKey({ planId, ruleName, dealKey }: Pick<CountedRow, 'planId' | 'ruleName' | 'dealKey'>): string {
  return `${planId}|${ruleName}|${dealKey}`;
}

function ownedBy(row: LedgerRow, frozenPeriod: string): FixedEvent {
  const nothing = { credit: Decimal.zero, base: Decimal.zero, amount: Decimal.zero, tierName: null };
  return { ...fixedOf(row, 'owned'), ...nothing, frozenPeriod };
}

/** The properties of a row that can be fixed. */
type FixedRow = Omit<LedgerRow, 'eventId' | 'status' | 'idempotencyKey' | 'base'> & { readonly base: string | null };

function fixedOf(row: FixedRow, kind: FixedEvent['kind']): FixedEvent {
  return {
    planId: row.planId,
    ruleName: row.ruleName,
    dealKey: row.dealKey,
    phase: row.phase,
    kind,
    earnedOn: row.earnedOn,
    period: row.period,
    attainmentKey: row.attainmentKey,
    credit: Decimal.of(row.credit),
    base: Decimal.of(row.base ?? '0'),
    amount: Decimal.of(row.amount),
    tierName: row.tierName,
  };
}

/** The owners of the existing deals of the rows. */
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
      and deal_id = any(array(select id from ${unnestRows(dealKeys, [['id', 'text', (key) => key]])}))`.execute(trx);
  return new Map(deals.map((deal) => [deal.dealId, deal.repId]));
}
