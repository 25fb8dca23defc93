import { type RawBuilder, sql } from 'kysely';
import { type DealLine } from '../../engine/deal-line.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { instantOf } from './imported-deals.js';

/** The lines of the import, each with the latest ones of its deal. */
function importedLines(tx: Transaction, importId: string): RawBuilder<unknown> {
  return sql`(
    select h.*, (
      select max(l.position) from deal_line_history l
      where l.workspace_id = h.workspace_id and l.deal_id = h.deal_id) as latest
    from deal_line_history h
    where h.workspace_id = ${tx.workspaceId} and h.changed_at = ${instantOf(importId)}
  ) h join deals d on d.workspace_id = h.workspace_id and d.deal_id = h.deal_id`;
}

const isUnchanged = sql`h.position = h.latest and d.deleted_at is null`;

/**
 * The lines that the API had given before an import of lines or deals, for the deals whose lines were not changed since.
 * Deals that an import of deals has created are left out: they are deleted.
 */
export async function loadLinesBefore(
  tx: Transaction,
  importId: string,
): Promise<ReadonlyMap<string, readonly DealLine[]>> {
  const { rows } = await sql<{ dealId: string; lines: readonly DealLine[] }>`
    select h.deal_id as "dealId", coalesce(b.lines, '[]') as lines
    from ${importedLines(tx, importId)}
    left join lateral (
      select case when b.source = 'api' then b.lines end as lines from deal_line_history b
      where b.workspace_id = h.workspace_id and b.deal_id = h.deal_id and b.position < h.position
      order by b.position desc limit 1
    ) b on true
    where ${isUnchanged} and (d.snapshot_at <> h.changed_at or exists (
      select from deal_snapshots s
      where s.workspace_id = d.workspace_id and s.deal_id = d.deal_id and s.taken_at < h.changed_at and not s.deleted))
    order by h.deal_id`.execute(tx.db);
  return new Map(rows.map(({ dealId, lines }) => [dealId, lines]));
}

/** The first deals of the import whose lines were changed since, or that were deleted. */
export async function listChangedLinesSince(tx: Transaction, importId: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ dealId: string }>`
    select h.deal_id as "dealId" from ${importedLines(tx, importId)}
    where not (${isUnchanged}) order by h.deal_id limit ${limit}`.execute(tx.db);
  return rows.map(({ dealId }) => dealId);
}
