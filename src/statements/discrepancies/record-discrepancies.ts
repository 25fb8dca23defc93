import { type Caller, personBehind } from '../../kernel/caller.js';
import { Decimal } from '../../kernel/decimal.js';
import { newId } from '../../kernel/ids.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { recordEvent } from '../../platform/outbound/outgoing-events.js';
import { type Owed, type OwedAmount } from '../owed.js';
import { type StatementKey } from '../statement.js';
import { type Cause, type DiscrepancyAction } from './discrepancy-tables.js';

const maxLines = 100;
const maxCauses = 20;

/**
 * Records the present differences of an approved period, one for each currency: opens a discrepancy, changes the present
 * one, or closes it when nothing is owed. A dismissed discrepancy is opened again only if the difference changed. The
 * caller holds the rep's lane.
 */
export async function saveComparison(
  tx: Transaction,
  key: StatementKey,
  { amounts }: Pick<Owed, 'amounts'>,
  causes: readonly Cause[],
  at: Date,
): Promise<void> {
  const present = await listPresent(tx, key);
  for (const { id, currency } of present)
    if (amounts.every((amount) => amount.currency !== currency)) await closePresent(tx, key, id, cleared(at));
  for (const amount of amounts) {
    const found = present.find(({ currency }) => currency === amount.currency);
    if (found === undefined) await insertOpen(tx, key, amount, causes, at);
    else if (!found.delta.equals(amount.delta)) await openAgain(tx, key, found, amount, causes, at);
  }
}

async function openAgain(
  tx: Transaction,
  key: StatementKey,
  present: Present,
  amount: OwedAmount,
  causes: readonly Cause[],
  at: Date,
): Promise<void> {
  await tx.db
    .updateTable('discrepancies')
    .set({
      ...toColumns(amount),
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
  await recordOpened(tx, key, present.id, amount);
}

export interface Resolution {
  readonly action: DiscrepancyAction;
  readonly reason: string | null;
  /** Null if the delta became 0. */
  readonly caller: Caller | null;
  /** The events that pay the differences, by currency. */
  readonly eventIds: ReadonlyMap<string, string>;
  readonly at: Date;
}

const cleared = (at: Date): Resolution => ({ action: 'cleared', reason: null, caller: null, eventIds: new Map(), at });

/** Closes the present discrepancies of the period, of one currency or of all of them. */
export async function closeDiscrepancies(
  tx: Transaction,
  key: StatementKey,
  resolution: Resolution,
  onlyIn?: string,
): Promise<void> {
  for (const { id, currency } of await listPresent(tx, key))
    if (onlyIn === undefined || onlyIn === currency)
      await closePresent(tx, key, id, resolution, resolution.eventIds.get(currency) ?? null);
}

async function closePresent(
  tx: Transaction,
  key: StatementKey,
  id: string,
  { action, reason, caller, at }: Resolution,
  eventId: string | null = null,
): Promise<void> {
  await tx.db
    .updateTable('discrepancies')
    .set({
      status: action === 'dismiss' ? 'dismissed' : 'resolved',
      action,
      reason,
      resolved_by: caller === null ? null : personBehind(caller),
      resolved_at: at,
      event_id: eventId,
      updated_at: at,
    })
    .where('workspace_id', '=', tx.workspaceId)
    .where('discrepancy_id', '=', id)
    .execute();
  await recordResolved(tx, key, id, action);
}

interface Present {
  readonly id: string;
  readonly currency: string;
  readonly delta: Decimal;
  readonly causes: readonly Cause[];
}

async function listPresent(tx: Transaction, { repId, period }: StatementKey): Promise<Present[]> {
  const rows = await tx.db
    .selectFrom('discrepancies')
    .select(['discrepancy_id as id', 'currency', 'delta', 'causes'])
    .where('workspace_id', '=', tx.workspaceId)
    .where('rep_id', '=', repId)
    .where('period', '=', period)
    .where('status', '<>', 'resolved')
    .orderBy('currency')
    .forUpdate()
    .execute();
  return rows.map(({ delta, ...row }) => ({ ...row, delta: Decimal.of(delta) }));
}

async function insertOpen(
  tx: Transaction,
  key: StatementKey,
  amount: OwedAmount,
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
      ...toColumns(amount),
      causes: JSON.stringify(causes.slice(-maxCauses)),
      since: at,
      updated_at: at,
    })
    .execute();
  await recordOpened(tx, key, discrepancyId, amount);
}

async function recordOpened(
  tx: Transaction,
  { repId, period }: StatementKey,
  discrepancyId: string,
  { currency, delta }: OwedAmount,
): Promise<void> {
  const data = { discrepancyId, repId, period, currency, delta: delta.toNumber() };
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

function toColumns({ currency, approved, carriedForward, delta, lines }: OwedAmount) {
  return {
    currency,
    approved: approved.toString(),
    carried_forward: carriedForward.toString(),
    delta: delta.toString(),
    other_currencies: '[]',
    lines: JSON.stringify(lines.slice(0, maxLines)),
    line_count: lines.length,
  };
}
