import { sql } from 'kysely';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type CrmProvider } from '../adapters/port.js';
import { type SkippedDeal } from '../connections/integration-tables.js';
import { type CrmSyncRecord } from './crm-sync-record.js';

/** A sync may skip every deal of a CRM, so only the first are listed. The counts contain all of them. */
export const maxSkippedListed = 100;

/** Adds deals that pay no rep to the sync run. */
export async function recordSkippedDeals(
  tx: Transaction,
  syncRunId: string,
  skipped: readonly SkippedDeal[],
): Promise<void> {
  if (skipped.length === 0) return;
  const added = JSON.stringify(skipped.slice(0, maxSkippedListed).map(({ dealId, reason }) => ({ dealId, reason })));
  await sql`
    update crm_sync_runs set skipped_deals = skipped_deals || ${added}::jsonb
    where workspace_id = ${tx.workspaceId} and sync_run_id = ${syncRunId}
      and jsonb_array_length(skipped_deals) < ${maxSkippedListed}`.execute(tx.db);
}

interface SyncEnd {
  readonly status: 'completed' | 'failed';
  readonly failure?: string;
  readonly error?: string;
}

/** Stores the sync run in the history. The caller deletes it in the same transaction. */
export async function storeSyncEnd(tx: Transaction, syncRunId: string, end: SyncEnd): Promise<void> {
  await sql`
    insert into crm_syncs (workspace_id, sync_id, provider, kind, actor, status, failure, error, deals, counts,
      skipped_deals, started_at)
    select workspace_id, sync_run_id, provider, kind, actor, ${end.status}, ${end.failure ?? null}, ${end.error ?? null},
      deals, counts, skipped_deals, started_at
    from crm_sync_runs where workspace_id = ${tx.workspaceId} and sync_run_id = ${syncRunId}
    on conflict do nothing`.execute(tx.db);
}

interface SyncPage {
  readonly limit: number;
  /** Only syncs that ended before the one at this position. */
  readonly before: string | null;
}

/** Syncs and polls of the CRM, newest first: those that run, on the first page, and those that have ended. */
export async function listSyncHistory(
  tx: Transaction,
  provider: CrmProvider,
  { limit, before }: SyncPage,
): Promise<{ readonly syncs: CrmSyncRecord[]; readonly next: string | null }> {
  let query = tx.db
    .selectFrom('crm_syncs')
    .selectAll()
    .where('workspace_id', '=', tx.workspaceId)
    .where('provider', '=', provider)
    .orderBy('position', 'desc')
    .limit(limit + 1);
  if (before !== null) query = query.where('position', '<', before);
  const rows = await query.execute();
  const ended = rows.slice(0, limit).map((row) => toRecord({ ...row, id: row.sync_id, endedAt: row.ended_at }));
  const running = before === null ? await listRunning(tx, provider) : [];
  return { syncs: [...running, ...ended], next: rows.length > limit ? (rows[limit - 1]?.position ?? null) : null };
}

async function listRunning(tx: Transaction, provider: CrmProvider): Promise<CrmSyncRecord[]> {
  const rows = await tx.db
    .selectFrom('crm_sync_runs')
    .select(['sync_run_id', 'kind', 'actor', 'deals', 'counts', 'skipped_deals', 'started_at'])
    .where('workspace_id', '=', tx.workspaceId)
    .where('provider', '=', provider)
    .orderBy('started_at', 'desc')
    .execute();
  return rows.map((row) =>
    toRecord({ ...row, id: row.sync_run_id, status: 'running', failure: null, error: null, endedAt: null }),
  );
}

interface SyncRow {
  readonly id: string;
  readonly kind: 'sync' | 'poll';
  readonly actor: string;
  readonly status: CrmSyncRecord['status'];
  readonly failure: string | null;
  readonly error: string | null;
  readonly deals: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly skipped_deals: readonly SkippedDeal[];
  readonly started_at: Date;
  readonly endedAt: Date | null;
}

function toRecord(row: SyncRow): CrmSyncRecord {
  const count = (name: string) => row.counts[name] ?? 0;
  return {
    id: row.id,
    kind: row.kind,
    status: row.status,
    startedBy: row.actor,
    startedAt: row.started_at.toISOString(),
    endedAt: row.endedAt?.toISOString() ?? null,
    durationMs: row.endedAt === null ? null : row.endedAt.getTime() - row.started_at.getTime(),
    seen: row.deals,
    created: count('created'),
    changed: count('changed'),
    deleted: count('deleted'),
    unchanged: count('unchanged'),
    skipped: count('skipped'),
    skippedDeals: [...row.skipped_deals],
    failure: row.failure,
    error: row.error,
  };
}
