import { sql } from 'kysely';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type CrmProvider } from '../adapters/port.js';
import { type WriteTargets } from '../adapters/write-back.js';
import { type ActiveWriteBack } from './deal-values.js';
import { type WriteBackStatus } from './write-back.js';

/** The CRMs to which commission is written. */
export async function listActiveWriteBacks(tx: Transaction): Promise<ActiveWriteBack[]> {
  const { rows } = await sql<ActiveWriteBack>`
    select w.provider, w.targets, jsonb_array_length(coalesce(c.settings #> '{deals,pipelines}', '[]')) > 0
      or c.settings #>> '{deals,closedFrom}' is not null as "excludesDeals"
    from crm_write_backs w
    join crm_connections c on c.workspace_id = w.workspace_id and c.provider = w.provider
    where w.workspace_id = ${tx.workspaceId}`.execute(tx.db);
  return rows;
}

/** A CRM for which there is something to do now. */
export interface DueWriteBack {
  readonly provider: CrmProvider;
  readonly targets: WriteTargets;
  readonly attempts: number;
  /** Permission and fields must be checked before anything is written. */
  readonly needsCheck: boolean;
}

/** CRMs that are connected, not paused, and have a check or deals that are due. */
export async function listDueWriteBacks(tx: Transaction): Promise<DueWriteBack[]> {
  const { rows } = await sql<DueWriteBack>`
    select w.provider, w.targets, w.attempts, w.checked_at is null or w.findings <> '[]' as "needsCheck"
    from crm_write_backs w
    join crm_connections c on c.workspace_id = w.workspace_id and c.provider = w.provider and c.broken_at is null
    where w.workspace_id = ${tx.workspaceId} and w.not_before <= now()
      and (w.checked_at is null or w.findings <> '[]' or exists (
        select from deal_write_backs d
        where d.workspace_id = w.workspace_id and d.provider = w.provider and d.due_at <= now()))
    order by w.provider`.execute(tx.db);
  return rows;
}

function selectWriteBack(tx: Transaction, provider: CrmProvider) {
  return tx.db
    .selectFrom('crm_write_backs')
    .where('workspace_id', '=', tx.workspaceId)
    .where('provider', '=', provider);
}

/** The fields to which commission is written; null if nothing is written. */
export async function findWriteTargets(tx: Transaction, provider: CrmProvider): Promise<WriteTargets | null> {
  const row = await selectWriteBack(tx, provider).select('targets').executeTakeFirst();
  return row?.targets ?? null;
}

/** Lists the ids or names by which webhooks report changes of the fields that this service writes. */
export async function writtenProperties(tx: Transaction, provider: CrmProvider): Promise<ReadonlySet<string>> {
  const row = await selectWriteBack(tx, provider).select('properties').executeTakeFirst();
  return new Set(row?.properties ?? []);
}

const maxFailures = 100;

export async function readWriteBackStatus(tx: Transaction, provider: CrmProvider): Promise<WriteBackStatus> {
  const row = await selectWriteBack(tx, provider)
    .select(['checked_at', 'findings', 'error', 'written_at', 'not_before'])
    .select(sql<boolean>`not_before > now() and error is not null`.as('is_paused'))
    .executeTakeFirst();
  const { rows } = await sql<{ waiting: number; written: number; failed: number }>`
    select (count(*) filter (where due_at is not null))::int as waiting,
      (count(*) filter (where due_at is null))::int as written, (count(*) filter (where failed_at is not null))::int as failed
    from deal_write_backs where workspace_id = ${tx.workspaceId} and provider = ${provider}`.execute(tx.db);
  const failures = await tx.db
    .selectFrom('deal_write_backs')
    .select(['deal_id', 'error', 'failed_at', 'attempts'])
    .where('workspace_id', '=', tx.workspaceId)
    .where('provider', '=', provider)
    .where('failed_at', 'is not', null)
    .orderBy('failed_at', 'desc')
    .orderBy('deal_id')
    .limit(maxFailures)
    .execute();
  return {
    provider,
    enabled: row !== undefined,
    checkedAt: row?.checked_at?.toISOString() ?? null,
    findings: [...(row?.findings ?? [])],
    ...(rows[0] as { waiting: number; written: number; failed: number }),
    lastWrittenAt: row?.written_at?.toISOString() ?? null,
    pausedUntil: row?.is_paused === true ? row.not_before.toISOString() : null,
    error: row?.is_paused === true ? row.error : null,
    failures: failures.map(({ deal_id: dealId, error, failed_at: failedAt, attempts }) => ({
      dealId,
      reason: error ?? '',
      failedAt: (failedAt as Date).toISOString(),
      attempts,
    })),
  };
}
