import { type RawBuilder, sql } from 'kysely';

/** The newest deals have almost every field and stage in use. Reading them takes the same time for a million deals. */
const sampledDeals = 2000;

/**
 * The newest deals, including deleted ones, whose fields the CRM had. Live and deleted deals are read from their own
 * indexes, each of which has the order of the snapshots.
 */
export function newestDeals(workspaceId: string): RawBuilder<unknown> {
  const newest = (state: RawBuilder<unknown>) => sql`(
    select * from deals
    where workspace_id = ${workspaceId} and ${state}
    order by snapshot_at desc, deal_id limit ${sampledDeals})`;
  return sql`(
    select * from (${newest(sql`deleted_at is null`)} union all ${newest(sql`deleted_at is not null`)}) either
    order by snapshot_at desc, deal_id limit ${sampledDeals}) deals`;
}
