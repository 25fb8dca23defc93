import { sql } from 'kysely';
import { comparableText } from '../../kernel/comparable-text.js';
import { addDays, addMonths, type Day, type DayRange, extendRange, latestDay } from '../../kernel/day.js';
import { loadCalendar } from '../../ledger/input/calendar.js';
import { comparableSql } from '../../platform/database/comparable-sql.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { countMonths, type Ramp, rampNameTaken } from './ramp.js';

/** Stores the ramp in place of the one with its id. The caller holds the configuration lock. */
export async function storeRamp(tx: Transaction, { rampId, name, steps }: Omit<Ramp, 'assignments'>): Promise<void> {
  const { rows } = await sql`
    select from ramps
    where workspace_id = ${tx.workspaceId} and ${comparableSql(sql`name`)} = ${comparableText(name)} and ramp_id <> ${rampId}`.execute(
    tx.db,
  );
  if (rows.length > 0) throw rampNameTaken(name);
  const terms = { name, steps: JSON.stringify(steps) };
  await tx.db
    .insertInto('ramps')
    .values({ workspace_id: tx.workspaceId, ramp_id: rampId, ...terms })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'ramp_id']).doUpdateSet(terms))
    .execute();
  await recordHistory(tx, rampId);
}

/** Records the stored ramp, or that there is none. */
async function recordHistory(tx: Transaction, rampId: string): Promise<void> {
  await sql`
    insert into ramp_history (workspace_id, ramp_id, name, steps)
    select ${tx.workspaceId}::uuid, ${rampId}::uuid, name, steps
    from (select) as one left join ramps on workspace_id = ${tx.workspaceId} and ramp_id = ${rampId}`.execute(tx.db);
}

export async function removeRamp(tx: Transaction, rampId: string): Promise<void> {
  await sql`
    update assignments set ramp_id = null, ramp_from = null
    where workspace_id = ${tx.workspaceId} and ramp_id = ${rampId} and deleted_at is not null`.execute(tx.db);
  await tx.db.deleteFrom('ramps').where('workspace_id', '=', tx.workspaceId).where('ramp_id', '=', rampId).execute();
  await recordHistory(tx, rampId);
}

/**
 * The people whom a change of the steps affects, each with the years that the ramp touches before or after it: a ramp
 * changes the target of whole attainment periods.
 */
export async function loadRepsOnRamp(
  tx: Transaction,
  { rampId, steps }: Pick<Ramp, 'rampId' | 'steps'>,
  changed: Pick<Ramp, 'steps'>,
): Promise<ReadonlyMap<string, DayRange>> {
  const { rows } = await sql<{ repId: string; from: Day }>`
    select a.rep_id as "repId", coalesce(a.ramp_from, a.effective_start, r.hire_date) as "from"
    from assignments a join reps r on r.workspace_id = a.workspace_id and r.rep_id = a.rep_id
    where a.workspace_id = ${tx.workspaceId} and a.ramp_id = ${rampId} and a.deleted_at is null
      and coalesce(a.ramp_from, a.effective_start, r.hire_date) is not null`.execute(tx.db);
  const calendar = await loadCalendar(tx);
  const months = Math.max(countMonths(steps), countMonths(changed.steps));
  const reps = new Map<string, DayRange>();
  for (const { repId, from } of rows) {
    const end = addDays(addMonths(from, months), -1);
    extendRange(reps, repId, calendar.yearsAround({ from, to: end < latestDay ? end : latestDay }));
  }
  return reps;
}
