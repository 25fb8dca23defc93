import { type RawBuilder, sql } from 'kysely';
import { type CreditLine, withOwner } from '../../engine/credit-lines.js';
import { type FixedEvent } from '../../engine/model.js';
import { isWithin } from '../../kernel/day.js';
import { Decimal } from '../../kernel/decimal.js';
import { groupBy } from '../../kernel/group-by.js';
import { inParallel } from '../../kernel/waiting.js';
import { selectAsText, unnestRows } from '../../platform/database/columns.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type TruedUpRow } from '../output/trued-up-rows.js';
import { type CountedRow } from './counted-rows.js';
import { type RepWindow } from './load-window.js';
import {
  type FrozenPeriod,
  isEveryVersionActive,
  loadVersions,
  type RepTerms,
  stoppedDayTest,
  withdrawnDayTest,
} from './rep-terms.js';

/** An engine-written row as stored in the ledger. */
export interface LedgerRow extends Omit<CountedRow, 'repId' | 'planVersionId' | 'ruleId' | 'cutOff'> {
  readonly eventId: string;
  readonly status: 'earned' | 'reversed';
  readonly base: string;
  readonly idempotencyKey: string;
}

const columns =
  'event_id status deal_key plan_id rule_name phase amount base credit tier_name attainment_key currency period earned_on idempotency_key category share'
    .split(' ')
    .map((name) => sql.ref(`e.${name}`));

/** Columns of an engine-written row are never null, except a tier name that was not reached and the share of a whole deal. */
function storedRow(cells: (string | null)[]): LedgerRow {
  const [eventId, status, dealKey, planId, ruleName, phase, amount, base, credit, tierName, ...rest] =
    cells as string[];
  const [attainmentKey, currency, period, earnedOn, idempotencyKey, category, share] = rest;
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
    share,
  } as LedgerRow;
}

/**
 * For each rep, the rows in the window, and the rows outside it that may occupy the natural key of a deal within it:
 * frozen, stopped and retained ones.
 */
export async function loadLedgerRows(tx: Transaction, windows: readonly RepWindow[]): Promise<LedgerRow[][]> {
  const indexed = windows.map(({ terms, window }, index) => ({ index, terms, window }));
  const mayHoldElsewhere = indexed.filter(mayHoldKeysElsewhere);
  const [within, elsewhere] = await inParallel(
    () => selectRows(tx, indexed, (row) => sql`${row}.earned_on between input.from_day and input.to_day`),
    () =>
      selectRows(
        tx,
        mayHoldElsewhere,
        (row) => sql`${row}.earned_on not between input.from_day and input.to_day and (exists (
        select from deals d where d.workspace_id = ${row}.workspace_id and d.deal_id = ${row}.deal_key
          and d.close_date between input.from_day and input.to_day
        offset 0)${refundInWindow(row, windows)})`,
      ),
  );
  const rows: LedgerRow[][] = windows.map(() => []);
  for (const { index, row } of within) rows[index]?.push(row);
  const found = groupBy(elsewhere, ({ index }) => index);
  const holding = await withPlansOfRows(
    tx,
    mayHoldElsewhere.map(({ index, terms }) => ({ terms, rows: (found.get(index) ?? []).map(({ row }) => row) })),
  );
  const holds = new Map(mayHoldElsewhere.map(({ index }, place) => [index, keyHolder(holding[place] as RepTerms)]));
  for (const { index, row } of elsewhere) if (holds.get(index)?.(row) === true) rows[index]?.push(row);
  return rows;
}

/** Whether the row belongs to a refund of the window: dated in it, or before the deal closed in it. */
function refundInWindow(row: RawBuilder<unknown>, windows: readonly RepWindow[]): RawBuilder<unknown> {
  if (windows[0]?.terms.workspace.hasRefunds !== true) return sql``;
  return sql` or exists (
    select from deal_refunds r
    left join deals d on d.workspace_id = r.workspace_id and d.deal_id = r.deal_id
    where r.workspace_id = ${row}.workspace_id and r.deal_key = ${row}.deal_key
      and (r.day between input.from_day and input.to_day
        or d.close_date between input.from_day and input.to_day)
    offset 0)`;
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
  const findKind = retainedBy(terms);
  return (row) => findKind(row) !== null || terms.frozen.some(({ range }) => isWithin(row.earnedOn, range));
}

/** The rows of each rep that match the condition, in one statement that reads the index for each rep. */
async function selectRows(
  tx: Transaction,
  windows: readonly (RepWindow & { readonly index: number })[],
  condition: (row: RawBuilder<unknown>) => RawBuilder<unknown>,
): Promise<{ readonly index: number; readonly row: LedgerRow }[]> {
  const [first] = windows;
  if (first === undefined) return [];
  const found = await selectAsText(
    tx,
    [sql`input.index`, ...columns],
    sql`${unnestRows(windows, [
      ['index', 'integer', ({ index }) => index],
      ['rep_id', 'uuid', ({ terms }) => terms.repId],
      ['from_day', 'date', ({ window }) => window.from],
      ['to_day', 'date', ({ window }) => window.to],
    ])} cross join lateral (
      select * from commission_events c
      where c.workspace_id = ${tx.workspaceId} and c.rep_id = input.rep_id
        and c.kind = 'commission_earned' and ${condition(sql.ref('c'))}
      offset 0
    ) e`,
  );
  return found.map(([index, ...cells]) => ({ index: Number(index), row: storedRow(cells) }));
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

/** Loads, for each rep, the rows that the engine must not change. */
export async function loadFixedRows(tx: Transaction, stored: readonly StoredRows[]): Promise<FixedRows[]> {
  const terms = await withPlansOfRows(
    tx,
    stored.map((rep) => ({ terms: rep.terms, rows: rep.stored })),
  );
  const reps = stored.map((rep, index) => ({ ...rep, terms: terms[index] as RepTerms }));
  const retained = reps.map(mayBeRetained);
  const [first] = reps;
  const participants = first === undefined ? new Map() : await loadParticipants(tx, retained.flat());
  return reps.map((rep, index) => fixedRows(rep, retained[index] ?? [], participants));
}

/**
 * Earned rows of an approved period are frozen; if the period is trued up, its trued-up rows are frozen, and keys that
 * only its approved rows have are owned. Rows of stopped days stay while their deal exists, whatever its current owner
 * and close date. Retained rows were earned under an assignment that was deleted later.
 */
function fixedRows(rep: StoredRows, retained: readonly LedgerRow[], participants: Participants): FixedRows {
  const { terms, truedUp } = rep;
  const isCounted = countedKeys(rep);
  const frozen: LedgerRow[] = [];
  const fixed = truedUp.map(
    (row): FixedEvent => ({
      ...toFixedEvent(row, 'frozen'),
      frozenPeriod: row.frozenPeriod,
      cutOff: Decimal.of(row.cutOff ?? '0'),
    }),
  );
  for (const row of selectEarned(rep)) {
    const period = findFrozenPeriod(terms, row);
    if (period === undefined) continue;
    frozen.push(row);
    if (!period.truedUp) fixed.push(toFixedEvent(row, 'frozen'));
    else if (!isCounted(row)) fixed.push(ownedBy(row, period.period));
  }
  return {
    fixed: [...fixed, ...retainedRows(terms, retained, participants).map((row) => row.fixed)],
    frozenIds: new Set(frozen.map((row) => row.eventId)),
  };
}

/** The rows outside approved periods that stay if their deal exists. */
function mayBeRetained(rep: StoredRows): LedgerRow[] {
  const isCounted = countedKeys(rep);
  const findKind = retainedBy(rep.terms);
  return selectEarned(rep).filter(
    (row) => findFrozenPeriod(rep.terms, row) === undefined && !isCounted(row) && findKind(row) !== null,
  );
}

/** Reversed rows are ignored: whether one exists depends on the order in which changes arrived. */
function selectEarned({ stored }: StoredRows): LedgerRow[] {
  return stored.filter((row) => row.status === 'earned');
}

function findFrozenPeriod({ frozen }: RepTerms, row: LedgerRow): FrozenPeriod | undefined {
  return frozen.find(({ range }) => isWithin(row.earnedOn, range));
}

/** Returns whether a trued-up row counts in place of the row. */
function countedKeys({ truedUp }: StoredRows): (row: LedgerRow) => boolean {
  const counted = new Set(truedUp.map(naturalKey));
  return (row) => counted.size > 0 && counted.has(naturalKey(row));
}

/** The terms of a rep and rows that the rep earned. */
interface RowsOfRep {
  readonly terms: RepTerms;
  readonly rows: readonly Pick<FixedRow, 'planId'>[];
}

/**
 * The terms of each rep with the versions of all plans of the rows. A rep whose assignment was taken back has no
 * assignment to a plan of its rows; only a plan that was deleted has no versions.
 */
export async function withPlansOfRows(tx: Transaction, reps: readonly RowsOfRep[]): Promise<RepTerms[]> {
  const missing = reps.map(({ terms, rows }) => {
    const known = new Set(terms.versions.map(({ planId }) => planId));
    return new Set(rows.flatMap(({ planId }) => (known.has(planId) ? [] : planId)));
  });
  const [first] = reps;
  const planIds = [...new Set(missing.flatMap((ofRep) => [...ofRep]))];
  if (first === undefined || planIds.length === 0) return reps.map(({ terms }) => terms);
  const loaded = await loadVersions(tx, planIds, first.terms.workspace);
  return reps.map(({ terms }, index) => ({
    ...terms,
    versions: [...terms.versions, ...loaded.filter(({ planId }) => missing[index]?.has(planId) === true)],
  }));
}

/**
 * Returns a function that says why a row outside approved periods stays: its day is stopped, or its assignment was
 * deleted.
 */
export function retainedBy(terms: RepTerms): (row: FixedRow) => 'stopped' | 'retained' | null {
  const isStopped = stoppedDayTest(terms);
  const isWithdrawn = withdrawnDayTest(terms);
  return ({ planId, earnedOn }) =>
    isStopped(planId, earnedOn) ? 'stopped' : isWithdrawn(planId, earnedOn) ? 'retained' : null;
}

/** The people with a part of each existing deal, by its id. */
type Participants = ReadonlyMap<string, readonly string[]>;

/**
 * The retainable rows whose deal exists. A row on the rep's own deal under a deleted assignment moves with the deal
 * to its next owner, or to those who have credit lines on it.
 */
export function retainedRows<Row extends FixedRow>(
  terms: RepTerms,
  rows: readonly Row[],
  participants: Participants,
): { readonly row: Row; readonly fixed: FixedEvent }[] {
  const findKind = retainedBy(terms);
  return rows.flatMap((row) => {
    const kind = findKind(row);
    const people = participants.get(row.dealKey);
    const isOwned = kind === 'stopped' || row.phase !== 'per_deal' || people?.includes(terms.repId) === true;
    const exists = row.phase === 'periodic' || people !== undefined;
    return kind !== null && isOwned && exists ? [{ row, fixed: toFixedEvent(row, kind) }] : [];
  });
}

export function naturalKey({ planId, ruleName, dealKey }: Pick<CountedRow, 'planId' | 'ruleName' | 'dealKey'>): string {
  return `${planId}|${ruleName}|${dealKey}`;
}

function ownedBy(row: LedgerRow, frozenPeriod: string): FixedEvent {
  const nothing = { credit: Decimal.zero, base: Decimal.zero, amount: Decimal.zero, tierName: null };
  return { ...toFixedEvent(row, 'owned'), ...nothing, frozenPeriod };
}

/** The properties of a row that can be fixed. */
type FixedRow = Omit<LedgerRow, 'eventId' | 'status' | 'idempotencyKey' | 'base' | 'category'> & {
  readonly base: string | null;
};

function toFixedEvent(row: FixedRow, kind: FixedEvent['kind']): FixedEvent {
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
    share: row.share,
  };
}

/** The people with a part of the existing deals of the rows. */
export async function loadParticipants(
  tx: Transaction,
  rows: readonly Pick<CountedRow, 'dealKey'>[],
): Promise<Participants> {
  if (rows.length === 0) return new Map();
  const dealKeys = [...new Set(rows.map((row) => row.dealKey))];
  const { rows: deals } = await sql<{ dealId: string; repId: string | null; lines: readonly CreditLine[] | null }>`
    select deal_id as "dealId", rep_id as "repId", credits -> 'lines' as lines from deals
    where workspace_id = ${tx.workspaceId} and deleted_at is null
      and deal_id = any(array(select id from ${unnestRows(dealKeys, [['id', 'text', (key) => key]])}))`.execute(tx.db);
  return new Map(
    deals.map(({ dealId, repId, lines }) => [
      dealId,
      withOwner(lines ?? [], repId).flatMap((line) => line.repId ?? []),
    ]),
  );
}
