import { type RawBuilder, sql } from 'kysely';

/** The newest deals have almost every field and stage in use. Reading them takes the same time for a million deals. */
const sampledDeals = 2000;

/** The newest deals, including deleted ones, whose fields the CRM had. */
export function newestDeals(workspaceId: string): RawBuilder<unknown> {
  // The condition on snapshot_at is that of the index.
  return sql`(
    select * from deals where workspace_id = ${workspaceId} and snapshot_at > '-infinity'
    order by snapshot_at desc, deal_id limit ${sampledDeals}) deals`;
}
