import { sql } from 'kysely';
import { chunk } from '../../kernel/chunk.js';
import { newId } from '../../kernel/ids.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type CrmField, type CrmProvider } from '../adapters/port.js';
import { updateConnection } from '../connections/crm-connection-row.js';
import { confirmMinutes, type SyncRun, type SyncRunPhase } from './sync-run.js';

interface NewSyncRun {
  readonly syncRunId: string;
  readonly provider: CrmProvider;
  readonly actor: string;
  readonly reconcile: boolean;
  readonly recalculate: boolean;
  readonly replaces: boolean;
  readonly awaited: boolean;
}

export async function insertSync(tx: Transaction, syncRun: NewSyncRun): Promise<void> {
  const { syncRunId, ...options } = syncRun;
  await tx.db
    .insertInto('crm_sync_runs')
    .values({ workspace_id: tx.workspaceId, sync_run_id: syncRunId, kind: 'sync', ...options })
    .execute();
}

/** Running syncs of every CRM, with their options. */
export function listSyncs(tx: Transaction): Promise<NewSyncRun[]> {
  return tx.db
    .selectFrom('crm_sync_runs')
    .select(['sync_run_id as syncRunId', 'provider', 'actor', 'reconcile', 'recalculate', 'replaces', 'awaited'])
    .where('workspace_id', '=', tx.workspaceId)
    .where('kind', '=', 'sync')
    .execute();
}

/** Adds the options of a second request to the running sync; false if it is too late for that. */
export async function joinSync(
  tx: Transaction,
  syncRunId: string,
  { reconcile, recalculate, replaces, awaited }: Omit<NewSyncRun, 'syncRunId' | 'provider' | 'actor'>,
): Promise<boolean> {
  const { rows } = await sql`
    update crm_sync_runs set reconcile = reconcile or ${reconcile}, recalculate = recalculate or ${recalculate},
      replaces = replaces or ${replaces}, awaited = awaited and ${awaited}
    where workspace_id = ${tx.workspaceId} and sync_run_id = ${syncRunId}
      and (phase in ('people', 'fields', 'deals') or reconcile or not ${reconcile}::boolean)
    returning 1`.execute(tx.db);
  return rows.length === 1;
}

/** Rows are stamped before they become visible, so each poll starts this long before the end of the last one. */
const overlap = sql`interval '10 minutes'`;

/** CRMs that cannot list the changes since a time. A poll of them lists every deal, and finds those that are gone. */
const listedInFull: readonly CrmProvider[] = ['crma'];

/** Listing every deal takes longer, so it is done this many times less often. */
const fullListingFactor = 12;

/** CRMs whose listing of changes contains no deletions. A listing of the deletions has no filter by time. */
const listDeletionsApart: readonly CrmProvider[] = ['crmb'];

/** Deletions that are listed apart are listed at most this often, because the listing contains those of months. */
const deletionsEvery = sql`interval '1 hour'`;

/** Default interval of the polls of a CRM. */
export function pollInterval(provider: CrmProvider, pollSeconds: number): number {
  return listedInFull.includes(provider) ? fullListingFactor * pollSeconds : pollSeconds;
}

/** Null if another worker was faster. */
export async function insertPoll(tx: Transaction, provider: CrmProvider): Promise<string | null> {
  const { rows } = await sql<{ sync_run_id: string }>`
    insert into crm_sync_runs (workspace_id, sync_run_id, provider, kind, actor, modified_from, deleted_from, reconcile)
    select workspace_id, ${newId()}, provider, 'poll', 'orchestrator', polled_through - ${overlap},
      case when ${listDeletionsApart.includes(provider)} and coalesce(deletions_through < now() - ${deletionsEvery}, true)
        then coalesce(deletions_through, polled_through) - ${overlap} end,
      ${listedInFull.includes(provider)}
    from crm_connections where workspace_id = ${tx.workspaceId} and provider = ${provider} and connected_at is not null
    on conflict (workspace_id, provider, kind) do nothing
    returning sync_run_id`.execute(tx.db);
  return rows[0]?.sync_run_id ?? null;
}

/** A sync whose attempts all fail for so long is given up. */
const maxOutage = sql`interval '1 day'`;

/** The sync run, locked for the transaction; null if it or its connection has ended. */
export async function lockSyncRun(tx: Transaction, syncRunId: string): Promise<SyncRun | null> {
  const row = await tx.db
    .selectFrom('crm_sync_runs')
    .select([
      'sync_run_id as syncRunId',
      'provider',
      'kind',
      'actor',
      'reconcile',
      'recalculate',
      'replaces',
      'awaited',
    ])
    .select(['phase', 'modified_from as modifiedFrom', 'deleted_from as deletedFrom', 'covered_until as coveredUntil'])
    .select(['cursor', 'deals', 'total', 'counts', 'attempts', 'restarts', 'started_at as startedAt'])
    .select(sql<boolean>`coalesce(failing_since < now() - ${maxOutage}, false)`.as('isGivenUp'))
    .where('workspace_id', '=', tx.workspaceId)
    .where('sync_run_id', '=', syncRunId)
    .forUpdate()
    .executeTakeFirst();
  return row ?? null;
}

export interface SyncRunStep {
  readonly phase?: SyncRunPhase;
  readonly cursor?: string | null;
  readonly deals?: number;
  readonly total?: number | null;
  readonly counts?: Readonly<Record<string, number>>;
  readonly coveredUntil?: Date | null;
}

/** Saves a step and resets the count of failures. */
export async function saveSyncRunStep(tx: Transaction, syncRunId: string, step: SyncRunStep): Promise<void> {
  const { coveredUntil, counts, ...plain } = step;
  await tx.db
    .updateTable('crm_sync_runs')
    .set({
      ...plain,
      ...(coveredUntil === undefined ? {} : { covered_until: coveredUntil }),
      ...(counts === undefined ? {} : { counts: JSON.stringify(counts) }),
      attempts: 0,
      failing_since: null,
    })
    .where('workspace_id', '=', tx.workspaceId)
    .where('sync_run_id', '=', syncRunId)
    .execute();
}

/** Retries later, from the same position. */
export async function delaySyncRun(tx: Transaction, syncRunId: string, pauseMs: number): Promise<void> {
  await sql`
    update crm_sync_runs set attempts = attempts + 1, failing_since = coalesce(failing_since, now()),
      not_before = now() + ${pauseMs / 1000} * interval '1 second'
    where workspace_id = ${tx.workspaceId} and sync_run_id = ${syncRunId}`.execute(tx.db);
}

/** Restarts the listing: deals that only an earlier one contained are missing. */
export async function restartListing(tx: Transaction, syncRunId: string): Promise<void> {
  await sql`
    update crm_sync_runs set restarts = restarts + 1, cursor = null, covered_until = null, not_before = now()
    where workspace_id = ${tx.workspaceId} and sync_run_id = ${syncRunId}`.execute(tx.db);
}

export async function deleteSyncRun(tx: Transaction, syncRunId: string): Promise<void> {
  await tx.db
    .deleteFrom('crm_sync_runs')
    .where('workspace_id', '=', tx.workspaceId)
    .where('sync_run_id', '=', syncRunId)
    .execute();
}

/** What decides whether the listing of a sync run contained a deal. */
export type Listing = Pick<SyncRun, 'syncRunId' | 'provider' | 'startedAt' | 'restarts'>;

/** Number of live deals of the CRM here, and of those the listing did not contain. */
export async function countMissing(
  tx: Transaction,
  listing: Listing,
): Promise<{ readonly live: number; readonly missing: number }> {
  const { rows } = await sql<{ live: number; missing: number }>`
    select count(*)::int as live, (count(*) filter (where is_missing))::int as missing
    from ${comparedDeals(tx.workspaceId, listing)}`.execute(tx.db);
  return rows[0] as { live: number; missing: number };
}

/** Finds which of the next live deals, by id, the listing did not contain. `last` is null if there are no more deals. */
export async function findMissing(
  tx: Transaction,
  listing: Listing,
  { after, atMost }: { readonly after: string; readonly atMost: number },
): Promise<{ readonly missing: readonly string[]; readonly last: string | null }> {
  const page = sql`and deal_id > ${after} order by deal_id limit ${atMost}`;
  const { rows } = await sql<{ missing: string[]; last: string | null }>`
    select coalesce(array_agg(deal_id order by deal_id) filter (where is_missing), '{}') as missing, max(deal_id) as last
    from ${comparedDeals(tx.workspaceId, listing, page)}`.execute(tx.db);
  return rows[0] as { missing: string[]; last: string | null };
}

/**
 * Live deals of the CRM. Those that were created or changed during the listing may be missing from it and still exist.
 * `limit 1` makes PostgreSQL look for each deal by the key: a join may read all deals of the sync run for every page.
 */
function comparedDeals(workspaceId: string, { syncRunId, provider, startedAt, restarts }: Listing, page = sql``) {
  return sql`(
    select d.deal_id, d.snapshot_at < ${startedAt} and coalesce(d.source_updated_at < ${startedAt}, true)
      and p.listing is distinct from ${restarts}::int as is_missing
    from (
      select deal_id, snapshot_at, source_updated_at from deals
      where workspace_id = ${workspaceId} and provider = ${provider} and deleted_at is null ${page}
    ) d left join lateral (
      select listing from crm_sync_run_deals
      where workspace_id = ${workspaceId} and sync_run_id = ${syncRunId} and deal_id = d.deal_id limit 1
    ) p on true) compared`;
}

/**
 * Whether too many deals would be deleted and the sync is no second request that confirms it. Records the first request.
 * What counts is when the sync began: its listing may take longer than the time to confirm.
 */
export async function rejectReconcile(
  tx: Transaction,
  { provider, startedAt }: Pick<SyncRun, 'provider' | 'startedAt'>,
): Promise<boolean> {
  const { rows } = await sql<{ confirmed: boolean }>`
    update crm_connections c set reconcile_rejected_at = case when old.confirmed then c.reconcile_rejected_at else now() end
    from (select coalesce(reconcile_rejected_at > ${startedAt}::timestamptz - ${`${confirmMinutes} minutes`}::interval, false) as confirmed
      from crm_connections where workspace_id = ${tx.workspaceId} and provider = ${provider}) old
    where c.workspace_id = ${tx.workspaceId} and c.provider = ${provider}
    returning old.confirmed`.execute(tx.db);
  return rows[0]?.confirmed !== true;
}

export async function recordSync(tx: Transaction, provider: CrmProvider): Promise<void> {
  await updateConnection(tx, provider).set({ last_sync_at: sql<Date>`now()`, reconcile_rejected_at: null }).execute();
}

/** Every deletion up to this time has been read. */
export async function saveDeletionsThrough(
  tx: Transaction,
  provider: CrmProvider,
  through: Date | null,
): Promise<void> {
  await updateConnection(tx, provider).set({ deletions_through: through }).execute();
}

/** Schedules the next poll. `through`: every change up to this time has been read. */
export async function schedulePoll(
  tx: Transaction,
  provider: CrmProvider,
  everySeconds: number,
  through: Date | null,
): Promise<void> {
  await sql`
    update crm_connections set poll_due_at = now() + coalesce(poll_seconds, ${everySeconds}::int) * interval '1 second',
      polled_through = greatest(polled_through, ${through}::timestamptz)
    where workspace_id = ${tx.workspaceId} and provider = ${provider}`.execute(tx.db);
}

/** Replaces the field definitions, in the CRM's order. */
export async function replaceFields(
  tx: Transaction,
  provider: CrmProvider,
  fields: readonly CrmField[],
): Promise<void> {
  await tx.db
    .deleteFrom('crm_fields')
    .where('workspace_id', '=', tx.workspaceId)
    .where('provider', '=', provider)
    .execute();
  const bySlug = new Map(fields.map((field, position) => [field.slug, { ...field, position }]));
  for (const part of chunk([...bySlug.values()], 500))
    await tx.db
      .insertInto('crm_fields')
      .values(
        part.map(({ slug, label, type, options, position }) => ({
          workspace_id: tx.workspaceId,
          provider,
          slug,
          position,
          label,
          type,
          options: options === undefined ? null : JSON.stringify(options),
        })),
      )
      .execute();
  await rememberCurrencyFields(tx);
}

/** The fields that hold money. Without a change no row is written, so that no calculation is repeated. */
async function rememberCurrencyFields(tx: Transaction): Promise<void> {
  await sql`
    update workspaces set currency_fields = found.slugs
    from (
      select array(
        select distinct slug from crm_fields where workspace_id = ${tx.workspaceId} and type = 'currency' order by slug
      ) as slugs
    ) found
    where workspace_id = ${tx.workspaceId} and currency_fields is distinct from found.slugs`.execute(tx.db);
}
