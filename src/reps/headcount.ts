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

/** Whether one more may become active. */
export function hasSeat({ tier, reps }: Headcount): boolean {
  return reps < seats[tier];
}

/** Refuses a change that took more seats than the tier has, or the last admin's keys. */
export function assertHeadcount(before: Headcount, after: Headcount): void {
  const most = seats[after.tier];
  if (after.reps > most && after.reps > before.reps) {
    throw new Failure(
      'rep_limit_reached',
      `The ${after.tier} tier has ${most} active reps; this would make ${after.reps}.`,
      { limit: most },
    );
  }
  if (before.admins > 0 && after.admins === 0) {
    throw new Failure('last_admin', 'This is the last active admin. Make somebody else an admin first.');
  }
}
