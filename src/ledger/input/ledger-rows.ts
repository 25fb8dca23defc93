import { type RawBuilder, sql } from 'kysely';
import { type FixedEvent } from '../../engine/model.js';
import { isWithin } from '../../kernel/day.js';
import { Decimal } from '../../kernel/decimal.js';
import { inParallel } from '../../kernel/waiting.js';
import { selectAsText, unnestRows } from '../../platform/database/columns.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type TruedUpRow } from '../output/trued-up-rows.js';
import { type CountedRow } from './counted-rows.js';
import { type RepWindow } from './load-window.js';
import { type FrozenPeriod, isEveryVersionActive, type RepTerms, stoppedDaysOf, withdrawnDaysOf } from './rep-terms.js';

/** An engine-written row as stored in the ledger. */
export interface LedgerRow extends Omit<CountedRow, 'repId' | 'planVersionId' | 'ruleId'> {
  readonly eventId: string;
  readonly status: 'earned' | 'reversed';
  readonly base: string;
  readonly idempotencyKey: string;
}

const columns =
  'event_id status deal_key plan_id rule_name phase amount base credit tier_name attainment_key currency period earned_on idempotency_key category'
    .split(' ')
    .map((name) => sql.ref(`e.${name}`));

/** Columns of an engine-written row are never null, except the tier name when no tier was reached. */
function storedRow(cells: (string | null)[]): LedgerRow {
  const [eventId, status, dealKey, planId, ruleName, phase, amount, base, credit, tierName, ...rest] =
    cells as string[];
  const [attainmentKey, currency, period, earnedOn, idempotencyKey, category] = rest;
  return {
    eventId,
    status,
    dealKey,
    planId,
    ruleName,
    phase,
    category,
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
 * For each rep, the rows in the window, and the rows outside it that may occupy the natural key of a deal within it:
 * frozen, stopped and retained ones.
 */
export async function loadLedgerRows(tx: Transaction, windows: readonly RepWindow[]): Promise<LedgerRow[][]> {
  const places = windows.map(({ terms, window }, place) => ({ place, terms, window }));
  const mayHoldElsewhere = places.filter(mayHoldKeysElsewhere);
  const [within, elsewhere] = await inParallel(
    () => selectRows(tx, places, (row) => sql`${row}.earned_on between rows_from.from_day and rows_from.to_day`),
    () =>
      selectRows(
        tx,
        mayHoldElsewhere,
        (row) => sql`${row}.earned_on not between rows_from.from_day and rows_from.to_day and exists (
        select from deals d where d.workspace_id = ${row}.workspace_id and d.deal_id = ${row}.deal_key
          and d.close_date between rows_from.from_day and rows_from.to_day
        offset 0)`,
      ),
  );
  const rows: LedgerRow[][] = windows.map(() => []);
  for (const { place, row } of within) rows[place]?.push(row);
  const holds = new Map(mayHoldElsewhere.map(({ place, terms }) => [place, keyHolder(terms)]));
  for (const { place, row } of elsewhere) if (holds.get(place)?.(row) === true) rows[place]?.push(row);
  return rows;
}

function mayHoldKeysElsewhere({ terms, window }: RepWindow): boolean {
  return terms.frozen.some(({ range }) => range.from < window.from || range.to > window.to) || hasWithdrawnTerms(terms);
}

/** Whether rows may be retained: an assignment was deleted, or a day may be stopped. */
export function hasWithdrawnTerms(terms: RepTerms): boolean {
  return terms.assignments.some(({ deleted }) => deleted) || !isEveryVersionActive(terms);
}

/** Returns whether a row outside the window may occupy its natural key: its day is frozen or stopped, or it is retained. */
function keyHolder(terms: RepTerms): (row: LedgerRow) => boolean {
  const kindOf = retainedBy(terms);
  return (row) => kindOf(row) !== null || terms.frozen.some(({ range }) => isWithin(row.earnedOn, range));
}

/** The rows of each rep that match the condition, in one statement that reads the index for each rep. */
async function selectRows(
  tx: Transaction,
  windows: readonly (RepWindow & { readonly place: number })[],
  condition: (row: RawBuilder<unknown>) => RawBuilder<unknown>,
): Promise<{ readonly place: number; readonly row: LedgerRow }[]> {
  const [first] = windows;
  if (first === undefined) return [];
  const found = await selectAsText(
    tx,
    [sql`rows_from.place`, ...columns],
    sql`${unnestRows(windows, [
      ['place', 'integer', ({ place }) => place],
      ['rep_id', 'uuid', ({ terms }) => terms.repId],
      ['from_day', 'date', ({ window }) => window.from],
      ['to_day', 'date', ({ window }) => window.to],
    ])} cross join lateral (
      select * from commission_events c
      where c.workspace_id = ${tx.workspaceId} and c.rep_id = rows_from.rep_id
        and c.kind = 'commission_earned' and ${condition(sql.ref('c'))}
      offset 0
    ) e`,
  );
  return found.map(([place, ...cells]) => ({ place: Number(place), row: storedRow(cells) }));
}

/** The rows that the engine must not change. */
export interface FixedRows {
  readonly fixed: readonly FixedEvent[];
  /** The earned rows of approved periods, by event id: no run writes them. */
  readonly frozenIds: ReadonlySet<string>;
}

/** The stored rows of a rep from which the fixed rows are chosen. */
export interface StoredRows {
  readonly terms: RepTerms;
  readonly stored: readonly LedgerRow[];
  readonly truedUp: readonly TruedUpRow[];
}

/** For each rep, the rows that the engine must not change. */
export async function loadFixedRows(tx: Transaction, reps: readonly StoredRows[]): Promise<FixedRows[]> {
  const retained = reps.map(mayBeRetained);
  const [first] = reps;
  const owners = first === undefined ? new Map() : await ownersOfDeals(tx, retained.flat());
  return reps.map((rep, place) => fixedRows(rep, retained[place] ?? [], owners));
}

/**
 * Earned rows of an approved period are frozen; if the period is trued up, its trued-up rows are frozen, and keys that
 * only its approved rows have are owned. Rows of stopped days stay while their deal exists, whatever its current owner
 * and close date. Retained rows were earned under an assignment that was deleted later.
 */
function fixedRows(
  rep: StoredRows,
  retained: readonly LedgerRow[],
  owners: ReadonlyMap<string, string | null>,
): FixedRows {
  const { terms, truedUp } = rep;
  const isCounted = countedKeys(rep);
  const frozen: LedgerRow[] = [];
  const fixed = truedUp.map((row): FixedEvent => ({ ...fixedOf(row, 'frozen'), frozenPeriod: row.frozenPeriod }));
  for (const row of earnedOf(rep)) {
    const period = frozenPeriodOf(terms, row);
    if (period === undefined) continue;
    frozen.push(row);
    if (!period.truedUp) fixed.push(fixedOf(row, 'frozen'));
    else if (!isCounted(row)) fixed.push(ownedBy(row, period.period));
  }
  return {
    fixed: [...fixed, ...retainedRows(terms, retained, owners).map((one) => one.fixed)],
    frozenIds: new Set(frozen.map((row) => row.eventId)),
  };
}

/** The rows outside approved periods that stay if their deal exists. */
function mayBeRetained(rep: StoredRows): LedgerRow[] {
  const isCounted = countedKeys(rep);
  const kindOf = retainedBy(rep.terms);
  return earnedOf(rep).filter(
    (row) => frozenPeriodOf(rep.terms, row) === undefined && !isCounted(row) && kindOf(row) !== null,
  );
}

/** Reversed rows are ignored: whether one exists depends on the order in which changes arrived. */
function earnedOf({ stored }: StoredRows): LedgerRow[] {
  return stored.filter((row) => row.status === 'earned');
}

function frozenPeriodOf({ frozen }: RepTerms, row: LedgerRow): FrozenPeriod | undefined {
  return frozen.find(({ range }) => isWithin(row.earnedOn, range));
}

/** Returns whether a trued-up row counts in place of the row. */
function countedKeys({ truedUp }: StoredRows): (row: LedgerRow) => boolean {
  const counted = new Set(truedUp.map(naturalKey));
  return (row) => counted.size > 0 && counted.has(naturalKey(row));
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
type FixedRow = Omit<LedgerRow, 'eventId' | 'status' | 'idempotencyKey' | 'base' | 'category'> & {
  readonly base: string | null;
};

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
  tx: Transaction,
  rows: readonly Pick<CountedRow, 'dealKey'>[],
): Promise<ReadonlyMap<string, string | null>> {
  if (rows.length === 0) return new Map();
  const dealKeys = [...new Set(rows.map((row) => row.dealKey))];
  const { rows: deals } = await sql<{ dealId: string; repId: string | null }>`
    select deal_id as "dealId", rep_id as "repId" from deals
    where workspace_id = ${tx.workspaceId} and deleted_at is null
      and deal_id = any(array(select id from ${unnestRows(dealKeys, [['id', 'text', (key) => key]])}))`.execute(tx.db);
  return new Map(deals.map((deal) => [deal.dealId, deal.repId]));
}
