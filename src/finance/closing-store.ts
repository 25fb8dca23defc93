import { sql } from 'kysely';
import { type Caller, personBehind } from '../kernel/caller.js';
import { unnestRows } from '../platform/database/columns.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type ClosedLot, insertClosedLots } from './closed-lots.js';
import { type ClosingContent } from './closing.js';
import { type JournalLine } from './journal-line.js';
import { type Month } from './month.js';

interface NewClosing {
  readonly month: Month;
  readonly isOpening: boolean;
  readonly hash: string;
  readonly content: ClosingContent;
  readonly preparedBy: string;
  readonly at: Date;
  /** Those of the month. */
  readonly lines: readonly JournalLine[];
  readonly treatments: readonly ClosedLot[];
}

/** Stores a closing, and returns its version: 1, or one more if the month was closed before. */
export async function insertClosing(tx: Transaction, { actor, repId }: Caller, closing: NewClosing): Promise<number> {
  const { month, isOpening, hash, content, preparedBy, at, lines, treatments } = closing;
  const { rows } = await sql<{ version: number }>`
    insert into accounting_closings (workspace_id, month, version, is_opening, hash, content, prepared_by, closed_by,
      closed_by_id, closed_at)
    select ${tx.workspaceId}::uuid, ${month}, coalesce(max(version), 0) + 1, ${isOpening}, ${hash},
      ${JSON.stringify(content)}::jsonb, ${preparedBy}, ${actor}, ${repId}::uuid, ${at}::timestamptz
    from accounting_closings where workspace_id = ${tx.workspaceId} and month = ${month}
    returning version`.execute(tx.db);
  const { version } = rows[0] as { version: number };
  await insertLines(tx, version, lines);
  await insertClosedLots(tx, { month, version }, treatments);
  return version;
}

async function insertLines(tx: Transaction, version: number, lines: readonly JournalLine[]): Promise<void> {
  await sql`
    insert into accounting_lines (workspace_id, version, month, line_id, entity, day, kind, ref, source, account, rep_id,
      currency, amount, value, late, deal_id, plan_id, rule_name, period, batch_id, draw_id)
    select ${tx.workspaceId}::uuid, ${version}::smallint, month, line_id, entity, day, kind, ref, source, account, rep_id,
      currency, amount, value, late, deal_id, plan_id, rule_name, period, batch_id, draw_id
    from ${unnestRows(lines, [
      ['month', 'text', ({ month }) => month],
      ['line_id', 'text', ({ lineId }) => lineId],
      ['entity', 'text', ({ entity }) => entity],
      ['day', 'date', ({ day }) => day],
      ['kind', 'text', ({ kind }) => kind],
      ['ref', 'text', ({ ref }) => ref],
      ['source', 'text', ({ source }) => source],
      ['account', 'text', ({ account }) => account],
      ['rep_id', 'uuid', ({ repId }) => repId],
      ['currency', 'text', ({ currency }) => currency],
      ['amount', 'numeric', ({ amount }) => amount.toString()],
      ['value', 'numeric', ({ value }) => value.toString()],
      ['late', 'boolean', ({ late }) => String(late)],
      ['deal_id', 'text', ({ dealId }) => dealId],
      ['plan_id', 'uuid', ({ planId }) => planId],
      ['rule_name', 'text', ({ ruleName }) => ruleName],
      ['period', 'text', ({ period }) => period],
      ['batch_id', 'uuid', ({ batchId }) => batchId],
      ['draw_id', 'uuid', ({ drawId }) => drawId],
    ])}`.execute(tx.db);
}

/** The closing no longer counts. It stays in the history. */
export async function markReopened(
  tx: Transaction,
  { actor }: Pick<Caller, 'actor'>,
  { month, version, at }: { readonly month: Month; readonly version: number; readonly at: Date },
): Promise<void> {
  await tx.db
    .updateTable('accounting_closings')
    .set({ reopened_at: at, reopened_by: actor })
    .where('workspace_id', '=', tx.workspaceId)
    .where('month', '=', month)
    .where('version', '=', version)
    .execute();
}

export async function requestReopening(
  tx: Transaction,
  caller: Caller,
  {
    month,
    version,
    reason,
    at,
  }: { readonly month: Month; readonly version: number; readonly reason: string; readonly at: Date },
): Promise<void> {
  await tx.db
    .updateTable('accounting_closings')
    .set({
      reopen_reason: reason,
      reopen_requested_by: caller.actor,
      reopen_requested_by_id: personBehind(caller),
      reopen_requested_at: at,
    })
    .where('workspace_id', '=', tx.workspaceId)
    .where('month', '=', month)
    .where('version', '=', version)
    .execute();
}

export async function markPosted(
  tx: Transaction,
  { actor }: Pick<Caller, 'actor'>,
  {
    month,
    version,
    reference,
    at,
  }: { readonly month: Month; readonly version: number; readonly reference: string; readonly at: Date },
): Promise<void> {
  await tx.db
    .updateTable('accounting_closings')
    .set({ posted_by: actor, posted_at: at, posted_reference: reference })
    .where('workspace_id', '=', tx.workspaceId)
    .where('month', '=', month)
    .where('version', '=', version)
    .execute();
}
