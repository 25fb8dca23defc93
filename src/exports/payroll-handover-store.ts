import { type Caller } from '../kernel/caller.js';
import { newId } from '../kernel/ids.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type HandedFile } from './payroll-handover.js';
import { type Scope } from './payroll-layouts.js';

export async function insertHandover(
  tx: Transaction,
  { actor, repId }: Caller,
  handover: HandedFile & {
    readonly period: string;
    readonly layout: string;
    readonly scope: Scope;
    readonly note: string | null;
  },
): Promise<string> {
  const handoverId = newId();
  await tx.db
    .insertInto('payroll_handovers')
    .values({
      workspace_id: tx.workspaceId,
      handover_id: handoverId,
      period: handover.period,
      layout: handover.layout,
      scope: handover.scope,
      note: handover.note,
      filename: handover.filename,
      sha256: handover.sha256,
      bytes: handover.bytes,
      row_count: handover.rowCount,
      totals: JSON.stringify(handover.totals),
      missing_payroll_ids: JSON.stringify(handover.missingPayrollIds),
      changed_payroll_ids: JSON.stringify(handover.changedPayrollIds),
      amounts: JSON.stringify(handover.amounts),
      actor,
      author_id: repId,
    })
    .execute();
  return handoverId;
}
