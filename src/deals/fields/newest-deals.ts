import { type RawBuilder, sql } from 'kysely';
import { scoreIdStart } from '../../kernel/score-id.js';

/** The newest deals have almost every field and stage in use. Reading them takes the same time for a million deals. */
const sampledDeals = 2000;

/** The newest deals, including deleted ones, whose fields the CRM had, and the deals that are scores. */
export function newestDeals(workspaceId: string, { scores = true } = {}): RawBuilder<unknown> {
  const isListed = scores ? sql`true` : sql`not starts_with(deal_id, ${scoreIdStart})`;
  // The condition on snapshot_at is that of the index.
  return sql`(
    select * from deals where workspace_id = ${workspaceId} and snapshot_at > '-infinity' and ${isListed}
    order by snapshot_at desc, deal_id limit ${sampledDeals}) deals`;
}
