import { type Caller } from '../kernel/caller.js';
import { newId } from '../kernel/ids.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { type HandedFile } from './payroll-handover.js';

export async function insertHandover(
  trx: Work,
  { workspaceId, actor, repId }: Caller,
  handover: HandedFile & { readonly period: string; readonly layout: string; readonly note: string | null },
): Promise<string> {
  const handoverId = newId();
  await trx
    .insertInto('payroll_handovers')
    .values({
      workspace_id: workspaceId,
      handover_id: handoverId,
      period: handover.period,
      layout: handover.layout,
      note: handover.note,
      filename: handover.filename,
      sha256: handover.sha256,
      bytes: handover.bytes,
      row_count: handover.rowCount,
      totals: JSON.stringify(handover.totals),
      missing_payroll_ids: JSON.stringify(handover.missingPayrollIds),
      actor,
      author_id: repId,
    })
    .execute();
  return handoverId;
}

/** Marks a version of a statement as checked; a second check of the same version replaces the note. */
export async function upsertCheck(
  trx: Work,
  { workspaceId, repId: authorId }: Caller,
  check: { readonly repId: string; readonly period: string; readonly version: number; readonly note: string | null },
): Promise<Date> {
  const row = await trx
    .insertInto('statement_checks')
    .values({
      workspace_id: workspaceId,
      rep_id: check.repId,
      period: check.period,
      version: check.version,
      note: check.note,
      author_id: authorId,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'rep_id', 'period', 'version'])
        .doUpdateSet({ note: check.note, author_id: authorId, checked_at: new Date() }),
    )
    .returning('checked_at')
    .executeTakeFirstOrThrow();
  return row.checked_at;
}
