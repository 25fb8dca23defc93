import { assertDealExists } from '../deals/deal-views.js';
import { type Caller } from '../kernel/caller.js';
import { currentDay, type Day } from '../kernel/day.js';
import { newId } from '../kernel/ids.js';
import { type Period } from '../kernel/period.js';
import { calendarOf, loadWorkspaceTerms } from '../ledger/input/rep-terms.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { failpoint } from '../platform/failpoint.js';
import { exactAmount } from '../platform/operations/money-digits.js';
import { adjustmentDay, assertClawbackNegative } from './adjustment.js';
import { insertAdjustment } from './adjustment-store.js';
import { assertNotOwnStatement } from './approvers.js';
import { statementLocked } from './statement.js';
import { recordStatementEntry } from './statement-store.js';
import { listFrozenPeriods } from './statement-views.js';

interface AdjustmentRequest {
  readonly kind: 'adjustment' | 'clawback';
  readonly amount: number;
  /** That of the workspace when absent. */
  readonly currency?: string | undefined;
  readonly period: Period;
  readonly dealId: string | null;
  readonly reason: string;
}

/** An adjustment that may be written, with its day. */
export interface CheckedAdjustment extends Omit<AdjustmentRequest, 'amount'> {
  readonly amount: string;
  readonly currency: string;
  readonly earnedOn: Day;
}

/** Rejects what no one may add to the period. The caller holds the rep's lane. */
export async function checkAdjustment(
  tx: Transaction,
  caller: Caller,
  repId: string,
  request: AdjustmentRequest,
  at: Date,
): Promise<CheckedAdjustment> {
  assertClawbackNegative(request.kind, request.amount);
  assertNotOwnStatement(caller, repId);
  const workspace = await loadWorkspaceTerms(tx);
  const currency = request.currency ?? workspace.currency;
  const range = calendarOf({ workspace }).range(request.period);
  const amount = exactAmount(request.amount, currency);
  const frozen = await listFrozenPeriods(tx, repId);
  const earnedOn = adjustmentDay(range, currentDay(workspace, at), frozen);
  if (earnedOn === null) throw statementLocked(request.period);
  if (request.dealId !== null) await assertDealExists(tx, request.dealId);
  return { ...request, amount, currency, earnedOn };
}

/** Writes an adjustment or a clawback into an open period with its audit entry. Returns its id. */
export async function writeAdjustment(
  tx: Transaction,
  caller: Caller,
  repId: string,
  { kind, amount, currency, period, earnedOn, dealId, reason }: CheckedAdjustment,
  at: Date,
): Promise<string> {
  const { actor } = caller;
  const runId = newId();
  const row = { kind, amount, currency, period, earnedOn, dealId, reason };
  const eventId = await insertAdjustment(tx, { repId, runId, actor }, row);
  await failpoint('adjust.afterInsert');
  await recordStatementEntry(tx, caller, {
    runId,
    trigger: 'adjustment_added',
    repId,
    period,
    dealId,
    eventsWritten: 1,
    details: { eventId, kind, amount, currency, reason },
    at,
  });
  return eventId;
}
