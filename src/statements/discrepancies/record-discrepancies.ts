import { type Caller, personBehind } from '../../kernel/caller.js';
import { Decimal } from '../../kernel/decimal.js';
import { newId } from '../../kernel/ids.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { recordEvent } from '../../platform/outbound/outgoing-events.js';
import { type Owed } from '../owed.js';
import { type StatementKey } from '../statement.js';
import { type Cause, type DiscrepancyAction } from './discrepancy-tables.js';

/** The difference that an approved period owes, with the currency of its statement. */
export interface Comparison {
  readonly currency: string;
  readonly owed: Pick<Owed, 'approved' | 'carriedForward' | 'delta' | 'lines' | 'otherCurrencies'>;
}

interface Deltas {
  readonly delta: Decimal;
  readonly otherCurrencies: readonly { readonly currency: string; readonly delta: Decimal }[];
}

const maxLines = 100;
const maxCauses = 20;

/**
 * Records the present difference of an approved period: opens a discrepancy, changes the present one, or closes it when
 * nothing is owed. A dismissed discrepancy is opened again only if the difference changed. The caller holds the rep's
 * lane.
 */
export async function saveComparison(
  tx: Transaction,
  key: StatementKey,
  comparison: Comparison,
  causes: readonly Cause[],
  at: Date,
): Promise<void> {
  const present = await findPresent(tx, key);
  const { owed } = comparison;
  if (isNothing(owed)) {
    const cleared = { action: 'cleared', reason: null, caller: null, eventId: null, at } as const;
    if (present !== null) await closeDiscrepancy(tx, key, cleared);
    return;
  }
  if (present === null) return insertOpen(tx, key, comparison, causes, at);
  if (isSameDelta(present, owed)) return;
  await tx.db
    .updateTable('discrepancies')
    .set({
      ...toColumns(comparison),
      status: 'open',
      causes: JSON.stringify([...present.causes, ...causes].slice(-maxCauses)),
      updated_at: at,
      action: null,
      reason: null,
      resolved_by: null,
      resolved_at: null,
    })
    .where('workspace_id', '=', tx.workspaceId)
    .where('discrepancy_id', '=', present.id)
    .execute();
  await recordOpened(tx, key, present.id, comparison);
}

export interface Resolution {
  readonly action: DiscrepancyAction;
  readonly reason: string | null;
  /** Null if the delta became 0. */
  readonly caller: Caller | null;
  readonly eventId: string | null;
  readonly at: Date;
}

/** Closes the present discrepancy of the period, if there is one. Differences that were not paid keep it open. */
export async function closeDiscrepancy(
  tx: Transaction,
  { repId, period }: StatementKey,
  { action, reason, caller, eventId, at }: Resolution,
  unpaid: Owed['otherCurrencies'] = [],
): Promise<void> {
  const change =
    unpaid.length === 0
      ? {
          status: action === 'dismiss' ? ('dismissed' as const) : ('resolved' as const),
          action,
          reason,
          resolved_by: caller === null ? null : personBehind(caller),
          resolved_at: at,
          event_id: eventId,
        }
      : { status: 'open' as const, delta: '0', action: null, reason: null, resolved_by: null, resolved_at: null };
  const closed = await tx.db
    .updateTable('discrepancies')
    .set({ ...change, updated_at: at })
    .where('workspace_id', '=', tx.workspaceId)
    .where('rep_id', '=', repId)
    .where('period', '=', period)
    .where('status', '<>', 'resolved')
    .returning('discrepancy_id')
    .executeTakeFirst();
  if (closed === undefined || unpaid.length > 0) return;
  await recordResolved(tx, { repId, period }, closed.discrepancy_id, action);
}

interface Present extends Deltas {
  readonly id: string;
  readonly causes: readonly Cause[];
}

async function findPresent(tx: Transaction, { repId, period }: StatementKey): Promise<Present | null> {
  const row = await tx.db
    .selectFrom('discrepancies')
    .select(['discrepancy_id', 'delta', 'other_currencies', 'causes'])
    .where('workspace_id', '=', tx.workspaceId)
    .where('rep_id', '=', repId)
    .where('period', '=', period)
    .where('status', '<>', 'resolved')
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) return null;
  return { id: row.discrepancy_id, ...listDeltas(row.delta, row.other_currencies), causes: row.causes };
}

/** Amounts that are stored or were sent, as exact decimals. */
export function listDeltas(
  delta: string | number,
  otherCurrencies: readonly { readonly currency: string; readonly delta: string | number }[],
): Deltas {
  return {
    delta: Decimal.of(delta),
    otherCurrencies: otherCurrencies.map((other) => ({ currency: other.currency, delta: Decimal.of(other.delta) })),
  };
}

async function insertOpen(
  tx: Transaction,
  key: StatementKey,
  comparison: Comparison,
  causes: readonly Cause[],
  at: Date,
): Promise<void> {
  const { repId, period } = key;
  const discrepancyId = newId();
  await tx.db
    .insertInto('discrepancies')
    .values({
      workspace_id: tx.workspaceId,
      discrepancy_id: discrepancyId,
      rep_id: repId,
      period,
      status: 'open',
      ...toColumns(comparison),
      causes: JSON.stringify(causes.slice(-maxCauses)),
      since: at,
      updated_at: at,
    })
    .execute();
  await recordOpened(tx, key, discrepancyId, comparison);
}

async function recordOpened(
  tx: Transaction,
  { repId, period }: StatementKey,
  discrepancyId: string,
  { currency, owed }: Comparison,
): Promise<void> {
  const data = { discrepancyId, repId, period, currency, delta: owed.delta.toNumber() };
  await recordEvent(tx, { type: 'discrepancy.opened', repId, data });
}

async function recordResolved(
  tx: Transaction,
  { repId, period }: StatementKey,
  discrepancyId: string,
  action: DiscrepancyAction,
): Promise<void> {
  const data = { discrepancyId, repId, period, action };
  await recordEvent(tx, { type: 'discrepancy.resolved', repId, data });
}

function toColumns({ currency, owed }: Comparison) {
  const others = owed.otherCurrencies.map((other) => ({ ...other, delta: other.delta.toString() }));
  return {
    currency,
    approved: owed.approved.toString(),
    carried_forward: owed.carriedForward.toString(),
    delta: owed.delta.toString(),
    other_currencies: JSON.stringify(others),
    lines: JSON.stringify(owed.lines.slice(0, maxLines)),
    line_count: owed.lines.length,
  };
}

function isNothing({ delta, otherCurrencies }: Deltas): boolean {
  return delta.isZero() && otherCurrencies.length === 0;
}

/** Currencies without a difference are left out and the others are sorted, so equal deltas have equal lists. */
export function isSameDelta(a: Deltas, b: Deltas): boolean {
  return (
    a.delta.equals(b.delta) &&
    a.otherCurrencies.length === b.otherCurrencies.length &&
    a.otherCurrencies.every(({ currency, delta }, index) => {
      const other = b.otherCurrencies[index];
      return other?.currency === currency && other.delta.equals(delta);
    })
  );
}
