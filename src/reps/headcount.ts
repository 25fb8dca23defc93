import { sql } from 'kysely';
import { Failure } from '../kernel/failure.js';
import { type Tables } from '../platform/database/tables.js';
import { type Work } from '../platform/database/unit-of-work.js';

/** How many active people a workspace has, and how many of them are admins. */
export interface Headcount {
  readonly tier: Tables['workspaces']['tier'];
  readonly reps: number;
  readonly admins: number;
}

const seats: Readonly<Record<Headcount['tier'], number>> = { free: 10, pro: 25, enterprise: Number.POSITIVE_INFINITY };

export async function countHeads(trx: Work, workspaceId: string): Promise<Headcount> {
  const { rows } = await sql<Headcount>`
    select w.tier, count(r.rep_id)::int as reps, (count(r.rep_id) filter (where r.role = 'admin'))::int as admins
    from workspaces w left join reps r on r.workspace_id = w.workspace_id and r.active
    where w.workspace_id = ${workspaceId}
    group by w.tier`.execute(trx);
  return rows[0] as Headcount;
}

/** Whether the tier has a seat for another active rep. */
export function hasSeat({ tier, reps }: Headcount): boolean {
  return reps < seats[tier];
}

/** Rejects a change that exceeds the seats of the tier or removes the last active admin. */
export function assertHeadcount(before: Headcount, after: Headcount): void {
  const limit = seats[after.tier];
  if (after.reps > limit && after.reps > before.reps) {
    throw new Failure(
      'rep_limit_reached',
      `The ${after.tier} tier allows ${limit} active reps; this change would make ${after.reps}. Deactivate a rep, or choose a higher tier.`,
      { limit },
    );
  }
  if (before.admins > 0 && after.admins === 0) {
    throw new Failure('last_admin', 'This is the last active admin. Make another rep an admin first.');
  }
}
