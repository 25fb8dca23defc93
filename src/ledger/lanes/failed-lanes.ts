import { sql } from 'kysely';
import { type Transaction } from '../../platform/database/unit-of-work.js';

/** A lane with requests whose last calculations failed. */
export interface FailedLane {
  readonly repId: string;
  readonly repName: string;
  readonly attempts: number;
  readonly error: string;
  /** When the oldest request was made: the commission of the rep is older than that. */
  readonly requestedAt: Date;
  /** It is null if the lane is parked. */
  readonly nextAttemptAt: Date | null;
  readonly parkedAt: Date | null;
}

/** The lanes of the workspace that fail, parked ones first. */
export async function loadFailedLanes(tx: Transaction): Promise<FailedLane[]> {
  const { rows } = await sql<FailedLane>`
    select l.rep_id as "repId", r.name as "repName", l.attempts, coalesce(l.last_error, 'unknown') as error,
      q.requested_at as "requestedAt", case when l.parked_at is null then l.not_before end as "nextAttemptAt",
      l.parked_at as "parkedAt"
    from lanes l
    join reps r on r.workspace_id = l.workspace_id and r.rep_id = l.rep_id
    cross join lateral (
      select min(requested_at) as requested_at from calculation_requests q
      where q.workspace_id = l.workspace_id and q.rep_id = l.rep_id
    ) q
    where l.workspace_id = ${tx.workspaceId} and l.attempts > 0 and q.requested_at is not null
    order by l.parked_at is null, q.requested_at, l.rep_id`.execute(tx.db);
  return rows;
}
