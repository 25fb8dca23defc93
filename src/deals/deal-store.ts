import { type RawBuilder, sql } from 'kysely';
import { inParallel } from '../kernel/waiting.js';
import { unnestRows } from '../platform/database/columns.js';
import { violates } from '../platform/database/database-errors.js';
import { joinWrites } from '../platform/database/joined-writes.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type Corrections } from './corrections.js';
import { type CreditSources, creditSourceColumns } from './credit-sources.js';
import { type DealContent, type Projection, type StoredContent, tombstoneHash } from './deal.js';
import { type StoredCredits } from './deal-credits.js';

/** The columns of a stored deal that a change compares with. */
export interface StoredDeal
  extends Pick<Projection, 'name' | 'amount' | 'currency' | 'stage' | 'closeDate' | 'createdDate' | 'ownerId'> {
  readonly dealId: string;
  readonly repId: string | null;
  readonly provider: string | null;
  readonly contentHash: string;
  readonly sourceUpdatedAt: Date | null;
  /** When the deal was read from the CRM; null for deals that were sent to the service. */
  readonly fetchedAt: Date | null;
  readonly deleted: boolean;
  /** When the deal was deleted in this workspace. */
  readonly deletedAt: Date | null;
  readonly credits: StoredCredits | null;
  readonly corrections: Corrections | null;
}

export interface DealWrite {
  readonly dealId: string;
  readonly content: StoredContent;
  readonly projection: Projection;
  readonly repId: string | null;
  readonly provider: string | null;
  readonly sourceUpdatedAt: Date | null;
  readonly fetchedAt: Date | null;
  /** The corrections to store; absent if they stay as they are. */
  readonly corrections?: Corrections | null | undefined;
}

/** Locks the existing deals in the order of their ids, so that two writers cannot deadlock. */
export async function lockDeals(tx: Transaction, dealIds: readonly string[]): Promise<Map<string, StoredDeal>> {
  const { rows } = await lockingQuery(tx, dealIds).execute(tx.db);
  return new Map(rows.map((row) => [row.dealId, row]));
}

/** {@link lockDeals}, with the rows of another query, which the same statement reads. */
export async function lockDealsWith<Row>(
  tx: Transaction,
  dealIds: readonly string[],
  other: RawBuilder<Row>,
): Promise<{ readonly deals: Map<string, StoredDeal>; readonly others: readonly Row[] }> {
  const { rows } = await sql<(StoredDeal | Record<keyof StoredDeal, null>) & { others: Row[] | null }>`
    with locked as materialized (${lockingQuery(tx, dealIds)})
    select locked.*, case when row_number() over () = 1 then (select json_agg(o) from (${other}) o) end as others
    from (select) one left join locked on true`.execute(tx.db);
  const deals = rows.filter((row): row is StoredDeal & { others: Row[] | null } => row.dealId !== null);
  return { deals: new Map(deals.map(({ others: _, ...deal }) => [deal.dealId, deal])), others: rows[0]?.others ?? [] };
}

function lockingQuery(tx: Transaction, dealIds: readonly string[]): RawBuilder<StoredDeal> {
  return sql`
    select d.deal_id as "dealId", d.rep_id as "repId", d.provider, d.name, d.amount, d.currency, d.stage,
      d.close_date as "closeDate", d.created_date as "createdDate", d.owner_id as "ownerId", d.content_hash as "contentHash",
      d.source_updated_at as "sourceUpdatedAt", d.fetched_at as "fetchedAt", d.deleted_at is not null as deleted, d.deleted_at as "deletedAt", d.credits, d.corrections
    from deals d
    where d.workspace_id = ${tx.workspaceId} and d.deal_id = any(${toIdArray(dealIds)})
    order by d.deal_id
    for no key update`;
}

/** The content of the stored deals, locked in the order of {@link lockDeals}. */
export async function lockContents(tx: Transaction, dealIds: readonly string[]): Promise<Map<string, DealContent>> {
  const { rows } = await sql<DealContent & { readonly dealId: string }>`
    select d.deal_id as "dealId", d.fields, d.given from deals d
    where d.workspace_id = ${tx.workspaceId} and d.deal_id = any(${toIdArray(dealIds)})
    order by d.deal_id
    for no key update`.execute(tx.db);
  return new Map(rows.map(({ dealId, fields, given }) => [dealId, { fields, given }]));
}

function toIdArray(dealIds: readonly string[]): RawBuilder<unknown> {
  return sql`array(select id from ${unnestRows(dealIds, [['id', 'text', (dealId) => dealId]])})`;
}

function dealRows(writes: readonly DealWrite[]): RawBuilder<unknown> {
  return unnestRows(writes, [
    ['deal_id', 'text', (write) => write.dealId],
    ['rep_id', 'uuid', (write) => write.repId],
    ['name', 'text', (write) => write.projection.name],
    ['amount', 'numeric', (write) => write.projection.amount],
    ['currency', 'text', (write) => write.projection.currency],
    ['stage', 'text', (write) => write.projection.stage],
    ['close_date', 'date', (write) => write.projection.closeDate],
    ['created_date', 'date', (write) => write.projection.createdDate],
    ['owner_id', 'text', (write) => write.projection.ownerId],
    ['owner_email', 'text', (write) => write.projection.ownerEmail],
    ['provider', 'text', (write) => write.provider],
    ['is_closed', 'boolean', (write) => String(write.projection.isClosed)],
    ['is_won', 'boolean', (write) => String(write.projection.isWon)],
    ['fields', 'jsonb', (write) => write.content.fields],
    ['given', 'jsonb', (write) => write.content.given],
    ['content_hash', 'uuid', (write) => write.content.hash],
    ['source_updated_at', 'timestamptz', (write) => write.sourceUpdatedAt?.toISOString() ?? null],
    ['fetched_at', 'timestamptz', (write) => write.fetchedAt?.toISOString() ?? null],
  ]);
}

/** Deals to insert, with the prepared statement. */
export interface DealInsert {
  readonly dealIds: readonly string[];
  readonly statement: RawBuilder<unknown>;
}

export function dealInsert(workspaceId: string, writes: readonly DealWrite[]): DealInsert {
  const statement = sql`
    insert into deals (workspace_id, deal_id, rep_id, name, amount, currency, stage, close_date, created_date, owner_id,
      owner_email, provider, is_closed, is_won, fields, given, content_hash, source_updated_at, fetched_at)
    select ${workspaceId}::uuid, deal_id, rep_id, name, amount, currency, stage, close_date, created_date, owner_id,
      owner_email, provider, is_closed, is_won, fields, given, content_hash, source_updated_at, fetched_at
    from ${dealRows(writes)}`;
  return { dealIds: writes.map((write) => write.dealId), statement };
}

/**
 * Inserts deals and returns the ids of those that another transaction inserted at the same time, and the credit sources. A
 * plain insert is tried first: after lockDeals conflicts are rare, and `on conflict` costs a third of the insert.
 */
export async function insertDeals(
  tx: Transaction,
  { dealIds, statement }: DealInsert,
): Promise<{ readonly insertedByOthers: ReadonlySet<string>; readonly sources: CreditSources | null }> {
  if (dealIds.length === 0) return { insertedByOthers: new Set(), sources: null };
  if (dealIds.length >= manyDeals && (await insertWithoutConflictCheck(tx, statement)))
    return { insertedByOthers: new Set(), sources: null };
  const { rows } = await sql<CreditSources & { dealIds: string[] }>`
    with inserted as (${statement} on conflict (workspace_id, deal_id) do nothing returning deal_id)
    select array(select deal_id from inserted) as "dealIds", ${creditSourceColumns(tx)}`.execute(tx.db);
  const { dealIds: added, ...sources } = rows[0] as (typeof rows)[number];
  const ids = new Set(added);
  return { insertedByOthers: new Set(dealIds.filter((dealId) => !ids.has(dealId))), sources };
}

const manyDeals = 100;

/** Returns whether all deals were new; otherwise nothing is inserted. */
async function insertWithoutConflictCheck(tx: Transaction, statement: RawBuilder<unknown>): Promise<boolean> {
  try {
    await inParallel(
      () => sql`savepoint new_deals`.execute(tx.db),
      () => statement.execute(tx.db),
      () => sql`release savepoint new_deals`.execute(tx.db),
    );
    return true;
  } catch (error) {
    if (!violates(error, 'deals_pkey')) throw error;
    await sql`rollback to savepoint new_deals`.execute(tx.db);
    return false;
  }
}

/**
 * Replaces deals that the caller has locked, and restores deleted ones; the replaced deals are added to the history. Returns
 * the credit sources. `on conflict` finds each deal by the primary key; a join with the new values reads all deals of the
 * workspace when the table's statistics say that it is empty.
 */
export async function replaceDeals(tx: Transaction, writes: readonly DealWrite[]): Promise<CreditSources | null> {
  if (writes.length === 0) return null;
  const snapshot = snapshotOf(
    tx,
    writes.map(({ dealId }) => dealId),
  );
  const update = sql`
    ${dealInsert(tx.workspaceId, writes).statement}
    on conflict (workspace_id, deal_id) do update set rep_id = excluded.rep_id, name = excluded.name,
      amount = excluded.amount, currency = excluded.currency, stage = excluded.stage, close_date = excluded.close_date,
      created_date = excluded.created_date, owner_id = excluded.owner_id, owner_email = excluded.owner_email,
      provider = excluded.provider, is_closed = excluded.is_closed, is_won = excluded.is_won, fields = excluded.fields,
      given = excluded.given, content_hash = excluded.content_hash, source_updated_at = excluded.source_updated_at,
      fetched_at = excluded.fetched_at, snapshot_at = now(), deleted_at = null`;
  const { rows } = await joinWrites<CreditSources>([snapshot, update], [creditSourceColumns(tx)]).execute(tx.db);
  return rows[0] as CreditSources;
}

/** Stores the corrections of the written deals whose corrections change. */
export async function updateCorrections(
  tx: Transaction,
  writes: readonly Pick<DealWrite, 'dealId' | 'corrections'>[],
): Promise<void> {
  const changed = writes.filter(({ corrections }) => corrections !== undefined);
  if (changed.length === 0) return;
  await sql`
    update deals d set corrections = n.corrections
    from (select * from ${unnestRows(changed, [
      ['deal_id', 'text', (write) => write.dealId],
      ['corrections', 'jsonb', ({ corrections }) => (corrections == null ? null : JSON.stringify(corrections))],
    ])}) n
    where d.workspace_id = ${tx.workspaceId} and d.deal_id = n.deal_id`.execute(tx.db);
}

/** Stores the times that the source reported, by which older data is recognized as stale. */
export async function updateSourceTimes(
  tx: Transaction,
  deals: readonly { readonly dealId: string; readonly at: Date | null }[],
): Promise<void> {
  if (deals.length === 0) return;
  await sql`
    update deals d set source_updated_at = n.at
    from (select * from ${unnestRows(deals, [
      ['deal_id', 'text', (deal) => deal.dealId],
      ['at', 'timestamptz', (deal) => deal.at?.toISOString() ?? null],
    ])}) n
    where d.workspace_id = ${tx.workspaceId} and d.deal_id = n.deal_id`.execute(tx.db);
}

/** Appends versions to the history that were never current, or were replaced within the same message. */
export async function insertSnapshots(tx: Transaction, writes: readonly DealWrite[]): Promise<void> {
  if (writes.length === 0) return;
  await sql`
    insert into deal_snapshots (workspace_id, deal_id, source_updated_at, provider, fields, given)
    select ${tx.workspaceId}::uuid, deal_id, source_updated_at, provider, fields, given
    from ${dealRows(writes)}`.execute(tx.db);
}

/**
 * Appends the current deals to their history, before or in the statement that replaces them. The current state is not in
 * the history, so a new deal is one row and not two. The view deal_versions combines both.
 */
function snapshotOf(tx: Transaction, dealIds: readonly string[]): RawBuilder<unknown> {
  return sql`
    insert into deal_snapshots (workspace_id, deal_id, taken_at, source_updated_at, provider, fields, given, deleted,
      corrections)
    select workspace_id, deal_id, snapshot_at, source_updated_at, provider, fields, given, deleted_at is not null,
      corrections
    from deals
    where workspace_id = ${tx.workspaceId} and deal_id = any(${toIdArray(dealIds)})`;
}

export interface DealDeletion {
  readonly dealId: string;
  /** The time that the source reported; null if none. */
  readonly at: Date | null;
  readonly isOfCrm: boolean;
}

/**
 * Marks deals as deleted that the caller has locked and that are not deleted. One that a CRM has not deleted keeps its hash,
 * by which a report without a modification time shows that nothing has changed in the CRM since.
 */
export async function softDeleteDeals(tx: Transaction, deletions: readonly DealDeletion[]): Promise<void> {
  if (deletions.length === 0) return;
  await snapshotOf(
    tx,
    deletions.map((deletion) => deletion.dealId),
  ).execute(tx.db);
  await sql`
    update deals d set deleted_at = now(), snapshot_at = now(),
      content_hash = case when n.is_of_crm then ${tombstoneHash} else d.content_hash end,
      source_updated_at = greatest(d.source_updated_at, n.at)
    from (select * from ${unnestRows(deletions, [
      ['deal_id', 'text', (deletion) => deletion.dealId],
      ['at', 'timestamptz', (deletion) => deletion.at?.toISOString() ?? null],
      ['is_of_crm', 'boolean', (deletion) => String(deletion.isOfCrm)],
    ])}) n
    where d.workspace_id = ${tx.workspaceId} and d.deal_id = n.deal_id`.execute(tx.db);
}

/** Lets deals that were deleted here, and by a CRM later, return when the CRM restores them. */
export async function clearHashes(tx: Transaction, dealIds: readonly string[]): Promise<void> {
  if (dealIds.length === 0) return;
  await sql`
    update deals set content_hash = ${tombstoneHash}
    where workspace_id = ${tx.workspaceId} and deal_id = any(${toIdArray(dealIds)}) and deleted_at is not null
      and content_hash <> ${tombstoneHash}`.execute(tx.db);
}

/** The purged deals that have not been stored again, with the time. */
export async function purgedDeals(tx: Transaction, dealIds: readonly string[]): Promise<ReadonlyMap<string, Date>> {
  const { rows } = await sql<{ deal_id: string; purged_at: Date }>`
    select t.deal_id, t.purged_at from deal_tombstones t
    where t.workspace_id = ${tx.workspaceId} and t.deal_id = any(${toIdArray(dealIds)})
      and not exists (select from deals d where d.workspace_id = t.workspace_id and d.deal_id = t.deal_id)`.execute(
    tx.db,
  );
  return new Map(rows.map((row) => [row.deal_id, row.purged_at]));
}
