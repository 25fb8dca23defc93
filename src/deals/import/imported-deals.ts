import { type RawBuilder, sql } from 'kysely';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type Corrections } from '../corrections.js';
import { type DealContent, type DealTerms, projectDeal } from '../deal.js';
import { loadDealTerms } from '../load-deal-terms.js';

/** A deal as an import stored it, which was not changed since. */
export interface ImportedVersion {
  readonly dealId: string;
  readonly after: DealContent;
  /** What the import replaced; null if there was no such deal, or a deleted one. */
  readonly before:
    | (DealContent & {
        readonly provider: string | null;
        readonly corrections: Corrections | null;
        /** Instant in ISO 8601 */
        readonly sourceUpdatedAt: string | null;
      })
    | null;
}

/**
 * The instant of the import as the database has it: an instant of JavaScript has no microseconds. All rows that one
 * transaction writes have the instant at which it began, so the deals of this instant are those of the import.
 */
export function instantOf(importId: string): RawBuilder<unknown> {
  return sql`(select at from audit_entries where entry_id = ${importId})`;
}

function atInstant(tx: Transaction, importId: string): RawBuilder<unknown> {
  return sql`d.workspace_id = ${tx.workspaceId} and d.snapshot_at > '-infinity' and d.snapshot_at = ${instantOf(importId)}
    and d.deleted_at is null`;
}

/** The deals that are still as the import stored them, in the order of their ids. */
export async function listImportedVersions(
  tx: Transaction,
  importId: string,
  { limit, after = '' }: { readonly limit: number; readonly after?: string | undefined },
): Promise<ImportedVersion[]> {
  const { rows } = await sql<{
    dealId: string;
    fields: DealContent['fields'];
    given: DealContent['given'];
    before: ImportedVersion['before'];
  }>`
    select d.deal_id as "dealId", d.fields, d.given, b.before
    from (
      select * from deals d where ${atInstant(tx, importId)} and d.deal_id > ${after} order by d.deal_id limit ${limit}
    ) d
    left join lateral (
      select case when s.deleted then null
        else jsonb_build_object('fields', s.fields, 'given', s.given, 'provider', s.provider,
          'corrections', s.corrections, 'sourceUpdatedAt', s.source_updated_at) end as before
      from deal_snapshots s
      where s.workspace_id = d.workspace_id and s.deal_id = d.deal_id and s.taken_at < d.snapshot_at
      order by s.snapshot_id desc limit 1
    ) b on true
    order by d.deal_id`.execute(tx.db);
  return rows.map(({ dealId, fields, given, before }) => ({ dealId, after: { fields, given }, before }));
}

/** Their standard values before and after. */
export async function listImportedValues(
  tx: Transaction,
  importId: string,
  page: { readonly limit: number; readonly after?: string | undefined },
) {
  const terms = await loadDealTerms(tx);
  const versions = await listImportedVersions(tx, importId, page);
  return versions.map(({ dealId, before, after }) => ({
    dealId,
    before: before === null ? null : toValues(before, terms),
    after: toValues(after, terms),
  }));
}

function toValues(content: DealContent, terms: DealTerms) {
  const { name, amount, currency, stage, closeDate, ownerId, ownerEmail, givenRepId } = projectDeal(content, terms);
  const owner = ownerId ?? ownerEmail ?? givenRepId;
  return { name, amount: amount === null ? null : Number(amount), currency, stage, closeDate, owner };
}

export async function countImportedVersions(tx: Transaction, importId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from deals d where ${atInstant(tx, importId)}`.execute(tx.db);
  return rows[0]?.count ?? 0;
}

/** The first deals of the import that were changed or deleted since. */
export async function listChangedSince(tx: Transaction, importId: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ dealId: string }>`
    select distinct s.deal_id as "dealId" from deal_snapshots s
    where s.workspace_id = ${tx.workspaceId} and s.taken_at = ${instantOf(importId)}
    order by s.deal_id limit ${limit}`.execute(tx.db);
  return rows.map(({ dealId }) => dealId);
}
