import { sql } from 'kysely';
import { comparableSql } from '../platform/database/comparable-sql.js';
import { type Transaction } from '../platform/database/unit-of-work.js';

/** An owner that deals name and no rep is. */
interface UnmatchedOwner {
  readonly owner: string;
  readonly deals: number;
  readonly lastCloseDate: string | null;
}

interface UnmatchedOwners {
  readonly owners: UnmatchedOwner[];
  /** Number of owners, on all pages. */
  readonly count: number;
  /** Number of deals without a rep that name no owner. */
  readonly dealsWithoutOwner: number;
}

/** Owners of deals without a rep, those of the most deals first. */
export async function listUnmatchedOwners(
  tx: Transaction,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<UnmatchedOwners> {
  const { rows: owners } = await sql<UnmatchedOwner>`
    select min(owner) as owner, count(*)::integer as deals, max(close_date)::text as "lastCloseDate"
    from (
      select coalesce(owner_id, owner_email) as owner, close_date from deals
      where workspace_id = ${tx.workspaceId} and rep_id is null and deleted_at is null
    ) unowned
    where owner is not null
    group by ${comparableSql(sql`owner`)}
    order by deals desc, min(lower(owner))
    limit ${limit} offset ${offset}`.execute(tx.db);
  const { rows: sums } = await sql<{ owners: number; without: number }>`
    select count(distinct ${comparableSql(sql`coalesce(owner_id, owner_email)`)})::integer as owners,
      (count(*) filter (where coalesce(owner_id, owner_email) is null))::integer as without
    from deals where workspace_id = ${tx.workspaceId} and rep_id is null and deleted_at is null`.execute(tx.db);
  return { owners, count: sums[0]?.owners ?? 0, dealsWithoutOwner: sums[0]?.without ?? 0 };
}
