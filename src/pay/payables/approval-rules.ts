import { sql } from 'kysely';
import { Failure } from '../../kernel/failure.js';
import { type Period } from '../../kernel/period.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { listOpenBefore, loadRepPayables, type PayableInputs } from './build-payables.js';
import { loadPayPeriods } from './payout-settings.js';
import { batchedLines } from './statement-payouts.js';

interface PeriodKey {
  readonly repId: string;
  readonly period: Period;
}

/**
 * Rejects the approval of what is no pay period, and without `force` before an earlier one that has lines. Returns what
 * was read, from which the statement is calculated; null if nothing is paid in pay periods.
 */
export async function assertPayable(
  tx: Transaction,
  { repId, period }: PeriodKey,
  force: boolean,
): Promise<PayableInputs | null> {
  const payPeriods = await loadPayPeriods(tx);
  if (payPeriods === null) return null;
  payPeriods.assertPayPeriod(period);
  if (!payPeriods.includes(period)) return null;
  const findRep = await loadRepPayables(tx, [repId], payPeriods.firstDay);
  const [open] = force ? [] : listOpenBefore(findRep(repId), payPeriods, period);
  if (open === undefined) return { payPeriods, findRep };
  throw new Failure(
    'earlier_period_open',
    `The statement for ${open} has amounts to pay and is not approved. Approve it first, or send force: true.`,
    { period: open },
  );
}

/**
 * Rejects to open a pay period again whose lines are in a batch, or after which a later one was approved: it may have paid
 * what arrived late.
 */
export async function assertUnlockable(tx: Transaction, { repId, period }: PeriodKey): Promise<void> {
  const payPeriods = await loadPayPeriods(tx);
  if (payPeriods?.includes(period) !== true) return;
  const { rows } = await sql<{ period: string }>`
    select l.period from statement_periods h
    join statement_periods l on l.workspace_id = h.workspace_id and l.rep_id = h.rep_id and l.status = 'approved'
      and l.from_day > h.to_day
    where h.workspace_id = ${tx.workspaceId} and h.rep_id = ${repId} and h.period = ${period}
    order by l.from_day desc limit 1`.execute(tx.db);
  const [later] = rows;
  if (later !== undefined)
    throw new Failure(
      'later_statement_approved',
      `The statement for ${later.period} is approved and may have paid what arrived late for ${period}. Unlock ${later.period} first.`,
      { period: later.period },
    );
  await assertInNoBatch(tx, { repId, period });
}

async function assertInNoBatch(tx: Transaction, { repId, period }: PeriodKey): Promise<void> {
  const { rows } = await sql<{ batchId: string; status: 'open' | 'paid' }>`
    select b.batch_id as "batchId", b.status from ${batchedLines}
    where l.workspace_id = ${tx.workspaceId} and l.rep_id = ${repId} and l.period = ${period}
    order by b.status desc limit 1`.execute(tx.db);
  const [batch] = rows;
  if (batch === undefined) return;
  if (batch.status === 'paid')
    throw new Failure(
      'already_paid',
      `The statement for ${period} is paid. Correct it by a true-up, or carry the difference forward.`,
      { batchId: batch.batchId },
    );
  throw new Failure(
    'batch_open',
    `The statement for ${period} is in a payout batch that waits to be paid. Cancel the batch first.`,
    { batchId: batch.batchId },
  );
}
