import { sql, type UpdateObject } from 'kysely';
import { type AuditEntry, recordAuditEntry } from '../audit/audit-entry.js';
import { type Caller } from '../kernel/caller.js';
import { newId } from '../kernel/ids.js';
import { mapInSlices } from '../kernel/waiting.js';
import { loadRange } from '../ledger/input/calendar.js';
import { requestWriteBack } from '../ledger/requests/write-back-requests.js';
import { unnestRows } from '../platform/database/columns.js';
import { type Tables } from '../platform/database/tables.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { failpoint } from '../platform/failpoint.js';
import { type EventType } from '../platform/outbound/outgoing-event.js';
import { recordEvents } from '../platform/outbound/outgoing-events.js';
import { settleSignatures } from './approvals/signature-store.js';
import { readLedgerLines } from './ledger-lines.js';
import { listPays } from './payslip-response.js';
import { nameSnapshots, readSnapshots } from './read-snapshots.js';
import { contentHash, listSummaries, type Snapshot } from './snapshot.js';
import { type Approver, type StatementContent, type StatementKey } from './statement.js';

/** The status, time and actor of a new version. */
export interface Generation {
  readonly status: 'draft' | 'approved';
  readonly at: Date;
  readonly actor: string;
}

/** Inserts the next version and makes it the current one. The caller holds the rep's lane. */
export async function insertVersion(
  tx: Transaction,
  { repId, period }: StatementKey,
  snapshot: Snapshot,
  generation: Generation,
): Promise<InsertedVersion> {
  const [inserted] = await insertVersions(tx, { period }, new Map([[repId, snapshot]]), generation);
  return inserted as InsertedVersion;
}

export type InsertedVersion = StatementContent & { readonly repId: string; readonly statementId: string };

/** {@link insertVersion} for many reps, with one statement for each table. The snapshots are by rep. */
async function insertVersions(
  tx: Transaction,
  { period }: Omit<StatementKey, 'repId'>,
  snapshots: ReadonlyMap<string, Snapshot>,
  { status, at, actor }: Generation,
): Promise<InsertedVersion[]> {
  const versions = await nextVersions(tx, { period }, [...snapshots.keys()]);
  await failpoint('generate.afterHead');
  const inserted: (InsertedVersion & { readonly contentHash: string })[] = [];
  const linesByRep = new Map<string, string>();
  for (const [repId, snapshot] of snapshots) {
    const version = versions.get(repId) as number;
    const hash = await contentHash(snapshot);
    inserted.push({ ...snapshot, repId, statementId: newId(), version, generatedAt: at, contentHash: hash });
    linesByRep.set(repId, `[${(await mapInSlices(snapshot.lines, (line) => JSON.stringify(line))).join()}]`);
  }
  await sql`
    insert into statements (workspace_id, statement_id, rep_id, period, version, status, currency, summary,
      other_currencies, deal_count, line_items, payable, content_hash, generated_at, generated_by)
    select ${tx.workspaceId}::uuid, statement_id, rep_id, ${period}, version, ${status}, currency, summary,
      other_currencies, deal_count, line_items, payable, content_hash, ${at}::timestamptz, ${actor}
    from ${unnestRows(inserted, [
      ['statement_id', 'uuid', (version) => version.statementId],
      ['rep_id', 'uuid', (version) => version.repId],
      ['version', 'integer', (version) => version.version],
      ['currency', 'text', (version) => version.currency],
      ['summary', 'jsonb', (version) => JSON.stringify(version.summary)],
      ['other_currencies', 'jsonb', (version) => JSON.stringify(version.otherCurrencies)],
      ['deal_count', 'integer', (version) => version.dealCount],
      ['line_items', 'jsonb', (version) => linesByRep.get(version.repId) ?? '[]'],
      ['payable', 'jsonb', ({ payable }) => (payable === undefined ? null : JSON.stringify(payable))],
      ['content_hash', 'uuid', (version) => version.contentHash],
    ])}`.execute(tx.db);
  await failpoint('generate.afterVersion');
  await recordStatementEvents(tx, { period }, 'statement.generated', status, inserted);
  if (status === 'draft') await settleSignatures(tx, period, inserted, at);
  return inserted;
}

async function nextVersions(
  tx: Transaction,
  { period }: Omit<StatementKey, 'repId'>,
  repIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { from, to } = await loadRange(tx, period);
  const { rows } = await sql<{ repId: string; version: number }>`
    insert into statement_periods as s (workspace_id, rep_id, period, from_day, to_day, status, current_version)
    select ${tx.workspaceId}::uuid, rep_id, ${period}, ${from}::date, ${to}::date, 'draft', 1
    from unnest(${repIds}::uuid[]) as rep_id
    on conflict (workspace_id, rep_id, period) do update set current_version = s.current_version + 1
    returning rep_id as "repId", current_version as version`.execute(tx.db);
  return new Map(rows.map(({ repId, version }) => [repId, version]));
}

/** Approves the version, which freezes the period. */
export async function approveHead(
  tx: Transaction,
  key: StatementKey,
  approved: VersionFigures,
  by: { readonly at: Date; readonly actor: string; readonly approver: Approver },
): Promise<void> {
  await updateHead(tx, key, {
    status: 'approved',
    approved_version: approved.version,
    approved_at: by.at,
    approved_by: by.actor,
    approver: JSON.stringify(by.approver),
    approved_total: approved.summary.netPayout,
    currency: approved.currency,
  });
  await recordStatementEvents(tx, key, 'statement.approved', 'approved', [{ ...approved, repId: key.repId }]);
}

/**
 * Replaces the approved version with one that includes a true-up. The approver and the time of approval do not
 * change.
 */
export async function replaceApproved(tx: Transaction, key: StatementKey, approved: VersionFigures): Promise<void> {
  await updateHead(tx, key, { approved_version: approved.version, approved_total: approved.summary.netPayout });
  await recordStatementEvents(tx, key, 'statement.trued_up', 'approved', [{ ...approved, repId: key.repId }]);
}

/** The period is a draft again. */
export async function reopenHead(tx: Transaction, key: StatementKey, latest: VersionFigures): Promise<void> {
  await updateHead(tx, key, {
    status: 'draft',
    approved_version: null,
    approved_at: null,
    approved_by: null,
    approver: null,
    approved_total: null,
    currency: null,
  });
  await recordStatementEvents(tx, key, 'statement.reopened', 'draft', [{ ...latest, repId: key.repId }]);
}

type VersionFigures = Pick<StatementContent, 'version' | 'summary' | 'currency' | 'otherCurrencies' | 'payable'>;

/** Stores one outgoing event for each rep. The caller holds the lanes of the reps. */
async function recordStatementEvents(
  tx: Transaction,
  { period }: Omit<StatementKey, 'repId'>,
  type: EventType,
  status: 'draft' | 'approved',
  versions: readonly (VersionFigures & { readonly repId: string })[],
): Promise<void> {
  const events = versions.map((figures) => {
    const { repId, version, summary, currency, payable } = figures;
    const paid = payable === undefined ? {} : { pays: listPays(payable, currency), earned: listEarned(figures) };
    const data = { repId, period, version, status, netPayout: Number(summary.netPayout), ...paid, currency };
    return { type, repId, data };
  });
  await recordEvents(tx, events);
}

/** What is earned by currency, those without an amount left out. */
function listEarned(figures: VersionFigures): readonly { readonly currency: string; readonly amount: number }[] {
  return listSummaries(figures)
    .map(({ currency, summary }) => ({ currency, amount: Number(summary.netPayout) }))
    .filter(({ amount }) => amount !== 0);
}

async function updateHead(
  tx: Transaction,
  { repId, period }: StatementKey,
  change: UpdateObject<Tables, 'statement_periods'>,
): Promise<void> {
  await tx.db
    .updateTable('statement_periods')
    .set(change)
    .where('workspace_id', '=', tx.workspaceId)
    .where('rep_id', '=', repId)
    .where('period', '=', period)
    .execute();
  requestWriteBack(tx, [{ repId, days: await loadRange(tx, period) }]);
}

/** Stores the current ledger as the next version of the statement. The caller holds the rep's lane. */
export async function generateVersion(
  tx: Transaction,
  { repId, ...scope }: StatementKey,
  currency: string,
  generation: Generation,
): Promise<InsertedVersion> {
  const [generated] = await generateVersions(tx, scope, [repId], currency, generation);
  return generated as InsertedVersion;
}

/** {@link generateVersion} for many reps. The caller holds their lanes. */
export async function generateVersions(
  tx: Transaction,
  scope: Omit<StatementKey, 'repId'>,
  repIds: readonly string[],
  currency: string,
  generation: Generation,
): Promise<InsertedVersion[]> {
  const snapshots = await readSnapshots(tx, scope.period, repIds, currency);
  return insertVersions(tx, scope, snapshots, generation);
}

/** Stores the current ledger as the next version of an approved statement that a true-up corrects. */
export async function generateCorrected(
  tx: Transaction,
  { repId, period }: StatementKey,
  currency: string,
  payable: Snapshot['payable'] | null,
  generation: Generation,
): Promise<InsertedVersion> {
  const lines = await readLedgerLines(tx, period, [repId]);
  const payables = payable == null ? null : new Map([[repId, payable]]);
  const snapshots = await nameSnapshots(tx, [repId], currency, lines, payables);
  return insertVersion(tx, { repId, period }, snapshots.get(repId) as Snapshot, generation);
}

/** What happened to a rep's statement, for the audit log. */
interface StatementAuditEntry extends Omit<AuditEntry, 'scope'> {
  readonly runId: string;
  readonly trigger:
    | 'statement_approved'
    | 'statement_unlocked'
    | 'statement_signed'
    | 'signature_withdrawn'
    | 'step_escalated'
    | 'step_reassigned'
    | 'adjustment_proposed'
    | 'adjustment_approved'
    | 'adjustment_rejected'
    | 'adjustment_added'
    | 'adjustment_changed'
    | 'adjustment_deleted'
    | 'true_up'
    | 'carried_forward';
  readonly repId: string;
  readonly period: string;
}

export async function recordStatementEntry(tx: Transaction, caller: Caller, entry: StatementAuditEntry): Promise<void> {
  await recordAuditEntry(tx, caller, { ...entry, scope: 'statement' });
}

/** Marks a version of a statement as checked. A second check of the same version replaces the note and the author. */
export async function upsertCheck(
  tx: Transaction,
  { repId: authorId }: Caller,
  check: { readonly repId: string; readonly period: string; readonly version: number; readonly note: string | null },
): Promise<Date> {
  const row = await tx.db
    .insertInto('statement_checks')
    .values({
      workspace_id: tx.workspaceId,
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
