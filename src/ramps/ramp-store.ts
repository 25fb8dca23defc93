import { sql } from 'kysely';
import { allDays } from '../kernel/day.js';
import { type Recalculate } from '../ledger/requests/recalculate.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type Ramp, rampNameTaken } from './ramp.js';

/** Stores the ramp in place of the one with its id. The caller holds the configuration lock. */
export async function storeRamp(tx: Transaction, { rampId, name, steps }: Omit<Ramp, 'assignments'>): Promise<void> {
  const { rows } = await sql`
    select from ramps
    where workspace_id = ${tx.workspaceId} and lower(name) = lower(${name}) and ramp_id <> ${rampId}`.execute(tx.db);
  if (rows.length > 0) throw rampNameTaken(name);
  const terms = { name, steps: JSON.stringify(steps) };
  await tx.db
    .insertInto('ramps')
    .values({ workspace_id: tx.workspaceId, ramp_id: rampId, ...terms })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'ramp_id']).doUpdateSet(terms))
    .execute();
}

export async function removeRamp(tx: Transaction, rampId: string): Promise<void> {
  await sql`
    update assignments set ramp_id = null, ramp_from = null
    where workspace_id = ${tx.workspaceId} and ramp_id = ${rampId} and deleted_at is not null`.execute(tx.db);
  await tx.db.deleteFrom('ramps').where('workspace_id', '=', tx.workspaceId).where('ramp_id', '=', rampId).execute();
}

/** Requests all days of the people with the ramp. */
export async function recalculateRamped(tx: Transaction, recalculate: Recalculate, rampId: string): Promise<void> {
  const { rows } = await sql<{ repId: string }>`
    select distinct rep_id as "repId" from assignments
    where workspace_id = ${tx.workspaceId} and ramp_id = ${rampId} and deleted_at is null`.execute(tx.db);
  await recalculate(rows.map(({ repId }) => ({ repId, days: allDays, trigger: 'ramp' })));
}
