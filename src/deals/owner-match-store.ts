import { sql } from 'kysely';
import { comparableText } from '../kernel/comparable-text.js';
import { unnestRows } from '../platform/database/columns.js';
import { comparableSql } from '../platform/database/comparable-sql.js';
import { type Transaction } from '../platform/database/unit-of-work.js';

/** The rep for an owner; null ends the match, and deals that have the rep keep it. */
export interface OwnerMatch {
  readonly owner: string;
  readonly repId: string | null;
}

/** Stores the matches, and returns how many deals without a rep each rep got. */
export async function matchOwners(
  tx: Transaction,
  matches: readonly OwnerMatch[],
): Promise<ReadonlyMap<string, number>> {
  const ended = matches.filter(({ repId }) => repId === null).map(({ owner }) => comparableText(owner));
  if (ended.length > 0)
    await sql`
      delete from owner_matches
      where workspace_id = ${tx.workspaceId} and ${comparableSql(sql`owner_key`)} = any(${ended}::text[])`.execute(
      tx.db,
    );
  const found = matches.filter((match): match is OwnerMatch & { repId: string } => match.repId !== null);
  if (found.length === 0) return new Map();
  const rows = unnestRows(found, [
    ['owner_key', 'text', ({ owner }) => comparableText(owner)],
    ['rep_id', 'uuid', ({ repId }) => repId],
  ]);
  await sql`
    insert into owner_matches (workspace_id, owner_key, rep_id)
    select ${tx.workspaceId}::uuid, owner_key, rep_id from ${rows}
    on conflict (workspace_id, owner_key) do update set rep_id = excluded.rep_id`.execute(tx.db);
  const { rows: claimed } = await sql<{ repId: string; deals: number }>`
    with claimed as (
      update deals d set rep_id = input.rep_id from ${rows}
      where d.workspace_id = ${tx.workspaceId} and d.rep_id is null
        and input.owner_key = ${comparableSql(sql`coalesce(d.owner_id, d.owner_email)`)}
      returning d.rep_id
    )
    select rep_id as "repId", count(*)::integer as deals from claimed group by rep_id`.execute(tx.db);
  return new Map(claimed.map(({ repId, deals }) => [repId, deals]));
}
