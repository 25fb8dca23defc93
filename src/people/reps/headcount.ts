import { sql } from 'kysely';
import { type Tier } from '../../access/workspaces/workspace-tables.js';
import { Failure } from '../../kernel/failure.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';

/** How many active people a workspace has, and how many of them are admins. */
export interface Headcount {
  readonly tier: Tier;
  /** Number of seats that were bought one by one; null: the tier decides. */
  readonly seats: number | null;
  readonly reps: number;
  readonly admins: number;
}

const seatsByTier: Readonly<Record<Tier, number>> = {
  free: 10,
  pro: 25,
  enterprise: Number.POSITIVE_INFINITY,
};

function seatLimit({ tier, seats }: Headcount): number {
  return seats ?? seatsByTier[tier];
}

export async function countHeads(tx: Transaction): Promise<Headcount> {
  const { rows } = await sql<Headcount>`
    select w.tier, w.seats, count(r.rep_id)::int as reps, (count(r.rep_id) filter (where r.role = 'admin'))::int as admins
    from workspaces w left join reps r on r.workspace_id = w.workspace_id and r.active
    where w.workspace_id = ${tx.workspaceId}
    group by w.tier, w.seats`.execute(tx.db);
  return rows[0] as Headcount;
}

/** Whether the workspace has a seat for another active rep. */
export function hasSeat(heads: Headcount): boolean {
  return heads.reps < seatLimit(heads);
}

/** Rejects a change that exceeds the seats or removes the last active admin. */
export function assertHeadcount(before: Headcount, after: Headcount): void {
  const limit = seatLimit(after);
  if (after.reps > limit && after.reps > before.reps) {
    throw new Failure(
      'rep_limit_reached',
      `${after.seats === null ? `The ${after.tier} tier` : 'The subscription'} allows ${limit} active reps; this change would make ${after.reps}. Deactivate a rep, or ${after.seats === null ? 'choose a higher tier' : 'buy more seats'}.`,
      { limit },
    );
  }
  if (before.admins > 0 && after.admins === 0) {
    throw new Failure('last_admin', 'This is the last active admin. Make another rep an admin first.');
  }
}
