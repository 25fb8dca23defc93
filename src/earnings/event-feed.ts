import { sql } from 'kysely';
import { type Day } from '../kernel/day.js';
import { isUuid } from '../kernel/ids.js';
import { type Feed, type FeedRange, type FeedRow } from '../platform/database/feed.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type EventRow } from './commission-event.js';
import { eventColumns, within, withNames } from './commission-views.js';
import { traceWithLines } from './paid-lines.js';

export const eventFeed: Feed = {
  table: 'commission_events',
  key: 'h.event_id',
  updatedAt: 'h.changed_at',
  smallestKey: '00000000-0000-0000-0000-000000000000',
  isKey: isUuid,
  storedAgain: sql`select from commission_events e
    where e.workspace_id = r.workspace_id and e.rep_id = r.rep_id and e.event_id = r.row_key::uuid`,
};

interface EventFilter {
  /** Null means every rep. */
  readonly repIds: readonly string[] | null;
  readonly earnedFrom?: Day | undefined;
  readonly earnedTo?: Day | undefined;
}

/**
 * The events of a page of the feed that match. The latest revision in the history is the event, and has the number of the
 * transaction that wrote it.
 */
export async function listChangedEvents(
  tx: Transaction,
  { repIds, earnedFrom, earnedTo }: EventFilter,
  { contains, limit }: FeedRange,
): Promise<(EventRow & FeedRow)[]> {
  const { rows } = await sql<EventRow & FeedRow>`
    select ${eventColumns}, ${traceWithLines} as "lineTrace", e.changed_in::text as "changedIn", e.event_id as key from (
      select h.*, h.changed_at as updated_at from commission_event_history h
      where h.workspace_id = ${tx.workspaceId} and ${contains} and h.change <> 'deleted' ${within('h.rep_id', repIds)}
        ${earnedFrom === undefined ? sql`` : sql`and h.earned_on >= ${earnedFrom}::date`}
        ${earnedTo === undefined ? sql`` : sql`and h.earned_on <= ${earnedTo}::date`}
        and h.revision = (select max(latest.revision) from commission_event_history latest
          where latest.workspace_id = h.workspace_id and latest.rep_id = h.rep_id and latest.event_id = h.event_id)
      order by h.changed_in, h.event_id
      limit ${limit}
    ) e ${withNames}
    order by e.changed_in, e.event_id`.execute(tx.db);
  return rows;
}
