import { sql } from 'kysely';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type Absence, absenceOverlap } from './absence.js';

/** Stores the absence in place of the one with its id. Two absences of one person may not overlap. */
export async function storeAbsence(tx: Transaction, absence: Absence): Promise<void> {
  const { absenceId, repId, from, to, quotaRelief, variableRelief, note } = absence;
  const { rows } = await sql<Pick<Absence, 'from' | 'to'>>`
    select from_day as "from", to_day as "to" from absences
    where workspace_id = ${tx.workspaceId} and rep_id = ${repId} and absence_id <> ${absenceId}
      and from_day <= ${to}::date and to_day >= ${from}::date
    order by from_day limit 1`.execute(tx.db);
  if (rows[0] !== undefined) throw absenceOverlap(rows[0]);
  const terms = {
    from_day: from,
    to_day: to,
    quota_relief: String(quotaRelief),
    variable_relief: String(variableRelief),
    note,
  };
  await tx.db
    .insertInto('absences')
    .values({ workspace_id: tx.workspaceId, absence_id: absenceId, rep_id: repId, ...terms })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'absence_id']).doUpdateSet(terms))
    .execute();
  await recordHistory(tx, absence);
}

/** Records the stored terms, or that there are none. The history has no notes, which the erasure of a person removes. */
async function recordHistory(
  tx: Transaction,
  { absenceId, repId }: Pick<Absence, 'absenceId' | 'repId'>,
): Promise<void> {
  await sql`
    insert into absence_history (workspace_id, absence_id, rep_id, from_day, to_day, quota_relief, variable_relief)
    select ${tx.workspaceId}::uuid, ${absenceId}::uuid, ${repId}::uuid, from_day, to_day, quota_relief, variable_relief
    from (select) as one left join absences on workspace_id = ${tx.workspaceId} and absence_id = ${absenceId}`.execute(
    tx.db,
  );
}

export async function removeAbsence(tx: Transaction, absence: Pick<Absence, 'absenceId' | 'repId'>): Promise<void> {
  await tx.db
    .deleteFrom('absences')
    .where('workspace_id', '=', tx.workspaceId)
    .where('absence_id', '=', absence.absenceId)
    .execute();
  await recordHistory(tx, absence);
}
