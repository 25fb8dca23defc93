import { type Caller } from '../kernel/caller.js';
import { newId } from '../kernel/ids.js';
import { periodRange } from '../kernel/period.js';
import { type AuditEntry, recordAuditEntry } from '../ledger/audit-entry.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { failpoint } from '../platform/failpoint.js';
import { readLedgerLines } from './ledger-lines.js';
import { contentHash, type Snapshot, snapshotOf } from './snapshot.js';
import { type Approver, type StatementContent, type StatementKey } from './statement.js';

/** The status, time and actor of a new version. */
export interface Generation {
  readonly status: 'draft' | 'approved';
  readonly at: Date;
  readonly actor: string;
}

/** Inserts the next version and makes it the current one. The caller holds the rep's lane. */
export async function insertVersion(
  trx: Work,
  key: StatementKey,
  snapshot: Snapshot,
  { status, at, actor }: Generation,
): Promise<StatementContent & { readonly statementId: string }> {
  const version = await nextVersion(trx, key);
  await failpoint('generate.afterHead');
  const statementId = newId();
  await trx
    .insertInto('statements')
    .values({
      workspace_id: key.workspaceId,
      statement_id: statementId,
      rep_id: key.repId,
      period: key.period,
      version,
      status,
      currency: snapshot.currency,
      summary: JSON.stringify(snapshot.summary),
      other_currencies: JSON.stringify(snapshot.otherCurrencies),
      deal_count: snapshot.dealCount,
      line_items: JSON.stringify(snapshot.lines),
      content_hash: contentHash(snapshot),
      generated_at: at,
      generated_by: actor,
    })
    .execute();
  await failpoint('generate.afterVersion');
  return { ...snapshot, statementId, version, generatedAt: at, contentHash: contentHash(snapshot) };
}

async function nextVersion(trx: Work, { workspaceId, repId, period }: StatementKey): Promise<number> {
  const { from, to } = periodRange(period);
  const head = await trx
    .insertInto('statement_periods')
    .values({
      workspace_id: workspaceId,
      rep_id: repId,
      period,
      from_day: from,
      to_day: to,
      status: 'draft',
      current_version: 1,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'rep_id', 'period'])
        .doUpdateSet((set) => ({ current_version: set('statement_periods.current_version', '+', 1) })),
    )
    .returning('current_version')
    .executeTakeFirstOrThrow();
  return head.current_version;
}

/** Approves the version, which freezes the period. */
export async function approveHead(
  trx: Work,
  key: StatementKey,
  approved: Pick<StatementContent, 'version' | 'summary' | 'currency'>,
  by: { readonly at: Date; readonly actor: string; readonly approver: Approver },
): Promise<void> {
  await updateHead(trx, key, {
    status: 'approved',
    approved_version: approved.version,
    approved_at: by.at,
    approved_by: by.actor,
    approver: JSON.stringify(by.approver),
    approved_total: approved.summary.netPayout,
    currency: approved.currency,
  });
}

/**
 * Replaces the approved version with one that includes a true-up. The approver and the time of approval do not
 * change.
 */
export async function replaceApproved(
  trx: Work,
  key: StatementKey,
  approved: Pick<StatementContent, 'version' | 'summary'>,
): Promise<void> {
  await updateHead(trx, key, { approved_version: approved.version, approved_total: approved.summary.netPayout });
}

export async function reopenHead(trx: Work, key: StatementKey): Promise<void> {
  await updateHead(trx, key, {
    status: 'draft',
    approved_version: null,
    approved_at: null,
    approved_by: null,
    approver: null,
    approved_total: null,
    currency: null,
  });
}

interface HeadChange {
  readonly status?: 'draft' | 'approved';
  readonly approved_version?: number | null;
  readonly approved_at?: Date | null;
  readonly approved_by?: string | null;
  readonly approver?: string | null;
  readonly approved_total?: string | null;
  readonly currency?: string | null;
}

async function updateHead(trx: Work, { workspaceId, repId, period }: StatementKey, change: HeadChange): Promise<void> {
  await trx
    .updateTable('statement_periods')
    .set(change)
    .where('workspace_id', '=', workspaceId)
    .where('rep_id', '=', repId)
    .where('period', '=', period)
    .execute();
}

/** Stores the current ledger as the next version of the statement. The caller holds the rep's lane. */
export async function generateVersion(
  trx: Work,
  key: StatementKey,
  currency: string,
  generation: Generation,
): Promise<StatementContent & { readonly statementId: string }> {
  return insertVersion(trx, key, snapshotOf(await readLedgerLines(trx, key), currency), generation);
}

/** A person's action on a rep's statement for the audit log. */
export interface StatementAuditEntry extends Omit<AuditEntry, 'scope'> {
  readonly runId: string;
  readonly trigger:
    | 'statement_approved'
    | 'statement_unlocked'
    | 'adjustment_added'
    | 'adjustment_changed'
    | 'adjustment_deleted'
    | 'true_up';
  readonly repId: string;
  readonly period: string;
}

export async function recordStatementEntry(trx: Work, caller: Caller, entry: StatementAuditEntry): Promise<void> {
  await recordAuditEntry(trx, caller, { ...entry, scope: 'statement' });
}

/** Marks a version of a statement as checked. A second check of the same version replaces the note and the author. */
export async function upsertCheck(
  trx: Work,
  { workspaceId, repId: authorId }: Caller,
  check: { readonly repId: string; readonly period: string; readonly version: number; readonly note: string | null },
): Promise<Date> {
  const row = await trx
    .insertInto('statement_checks')
    .values({
      workspace_id: workspaceId,
      rep_id: check.repId,
      period: check.period,
      version: check.version,
      note: check.note,
      author_id: authorId,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'rep_id', 'period', 'version'])
        .doUpdateSet({ note: check.note, author_id: authorId, checked_at: new Date() }),
    )
    .returning('checked_at')
    .executeTakeFirstOrThrow();
  return row.checked_at;
}
