import { recordAuditEntry } from '../audit/audit-entry.js';
import { type Caller, peopleBehind, personBehind } from '../kernel/caller.js';
import { Failure } from '../kernel/failure.js';
import { newId } from '../kernel/ids.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { recordEvent } from '../platform/outbound/outgoing-events.js';
import { assertBookMonth, assertOpenMonth, type BookMonths } from './book-months.js';
import { type StoredWriteOff, type WriteOffTerms } from './write-off.js';

type IdentifiedWriteOff = WriteOffTerms & Pick<StoredWriteOff, 'writeOffId'>;

/** Debtors do not write off their own debt, and closed months keep what was posted in them. */
export function assertMayWriteOff(
  caller: Caller,
  months: BookMonths,
  { repId, day }: Pick<WriteOffTerms, 'repId' | 'day'>,
): void {
  if (peopleBehind(caller).includes(repId))
    throw new Failure('own_debt', 'You owe it yourself. Another admin writes it off.');
  const month = months.calendar.monthOf(day);
  assertBookMonth(months, month);
  assertOpenMonth(months, month, `${month} is closed. Debts are written off in a month that is open.`);
}

/** Stores the write-off, which has no effect until another admin approves it, and returns its id. */
export async function storeProposal(tx: Transaction, caller: Caller, terms: WriteOffTerms, at: Date): Promise<string> {
  const writeOff = { ...terms, writeOffId: newId() };
  const { writeOffId, repId, ...rest } = writeOff;
  await tx.db
    .insertInto('accounting_write_offs')
    .values({
      workspace_id: tx.workspaceId,
      write_off_id: writeOffId,
      rep_id: repId,
      ...rest,
      status: 'proposed',
      proposed_by: caller.actor,
      proposed_by_id: personBehind(caller),
      proposed_at: at,
    })
    .execute();
  await recordEvent(tx, {
    type: 'accounting.write_off_proposed',
    doneBy: peopleBehind(caller),
    data: toEventData(writeOff),
  });
  await record(tx, caller, writeOff, { status: 'proposed', at });
  return writeOffId;
}

export async function decideWriteOff(
  tx: Transaction,
  caller: Caller,
  writeOff: IdentifiedWriteOff,
  decision: { readonly status: 'approved' | 'withdrawn'; readonly at: Date },
): Promise<void> {
  await tx.db
    .updateTable('accounting_write_offs')
    .set({ status: decision.status, decided_by: caller.actor, decided_at: decision.at })
    .where('workspace_id', '=', tx.workspaceId)
    .where('write_off_id', '=', writeOff.writeOffId)
    .execute();
  await record(tx, caller, writeOff, decision);
}

function record(
  tx: Transaction,
  caller: Caller,
  writeOff: IdentifiedWriteOff,
  { status, at }: { readonly status: StoredWriteOff['status']; readonly at: Date },
): Promise<void> {
  const trigger = `accounting_write_off_${status}`;
  return recordAuditEntry(tx, caller, {
    trigger,
    scope: 'accounting',
    repId: writeOff.repId,
    details: { ...writeOff },
    at,
  });
}

export function toEventData({ writeOffId, repId }: IdentifiedWriteOff) {
  return { writeOffId, repId };
}
