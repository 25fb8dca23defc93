import { sql } from 'kysely';
import { type Caller } from '../kernel/caller.js';
import { type DayRange, hull, isWithin } from '../kernel/day.js';
import { Failure } from '../kernel/failure.js';
import { newId } from '../kernel/ids.js';
import { loadRange } from '../ledger/input/calendar.js';
import { loadCurrentDays } from '../ledger/input/current-days.js';
import { type FrozenPeriod, loadRepTerms } from '../ledger/input/rep-terms.js';
import { thawDealAmounts } from '../ledger/output/frozen-deal-amounts.js';
import { dropTruedUpRows } from '../ledger/output/trued-up-state.js';
import { type Recalculate } from '../ledger/requests/recalculate.js';
import { assertUnlockable } from '../pay/payables/approval-rules.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { failpoint } from '../platform/failpoint.js';
import { reverseTrueUps, trueUpDays } from './adjustment-store.js';
import { presentApproval } from './approvals/approval-response.js';
import { endAllSignatures, withdrawSignature } from './approvals/sign-step.js';
import { assertNotOwnStatement } from './approvers.js';
import { closeDiscrepancies } from './discrepancies/record-discrepancies.js';
import { lockRep } from './rep-lane.js';
import { type StatementKey, type StatementResponse, statementNotFound, toStatementResponse } from './statement.js';
import { recordStatementEntry, reopenHead } from './statement-store.js';
import { findHead, findLatest } from './statement-views.js';

/**
 * Reopens an approved period. Its true-ups are reversed, because the calculation that follows pays the same
 * difference.
 */
export async function unlockStatement(
  tx: Transaction,
  recalculate: Recalculate,
  key: StatementKey,
  caller: Caller,
  at: Date,
): Promise<StatementResponse> {
  const { repId, period } = key;
  const repName = await lockRep(tx, repId);
  assertNotOwnStatement(caller, repId);
  const stored = await findLatest(tx, key);
  if (stored === null) throw statementNotFound();
  const { head, latest } = stored;
  if (head.status === 'draft') {
    await withdrawSignature(tx, key, caller, at);
    const chain = await presentApproval(tx, { repId, head, content: latest }, caller, at);
    return { ...(await toStatementResponse(key, repName, head, latest, caller)), ...chain };
  }
  const terms = await loadRepTerms(tx, repId);
  const frozen = terms.frozen.find((frozenPeriod) => frozenPeriod.period === period);
  await assertNotCarriedIntoApproved(tx, key, terms.frozen);
  await assertUnlockable(tx, key);
  const days = await daysToCalculate(tx, key);
  if (frozen?.truedUp) await dropTruedUpRows(tx, recalculate, terms, frozen);
  await thawDealAmounts(tx, key);
  await reopenHead(tx, key, latest);
  await endAllSignatures(tx, key, at);
  await failpoint('unlock.afterReopen');
  const runId = newId();
  const trueUps = await reverseTrueUps(tx, { repId, runId, actor: caller.actor }, period);
  await failpoint('unlock.afterTrueUps');
  await recalculate([{ repId, days, trigger: 'statement_unlock' }]);
  await closeDiscrepancies(tx, key, { action: 'unlocked', reason: null, caller, eventIds: new Map(), at });
  await recordStatementEntry(tx, caller, {
    runId,
    trigger: 'statement_unlocked',
    repId,
    period,
    eventsReversed: trueUps,
    details: { version: head.version, approvedBy: head.approvedBy, approvedTotal: head.approvedTotal, trueUps },
    at,
  });
  const reopened = await findHead(tx, key);
  const chain = await presentApproval(tx, { repId, head: reopened, content: latest }, caller, at);
  return { ...(await toStatementResponse(key, repName, reopened, latest, caller)), ...chain };
}

/** Carried-forward amounts are reversed, which an approved period does not allow. */
async function assertNotCarriedIntoApproved(
  tx: Transaction,
  key: StatementKey,
  frozen: readonly FrozenPeriod[],
): Promise<void> {
  const days = await trueUpDays(tx, key, key.period);
  const paid = frozen.find(({ period, range }) => period !== key.period && days.some((day) => isWithin(day, range)));
  if (paid === undefined) return;
  throw new Failure(
    'carried_forward',
    `A difference of ${key.period} was carried forward to ${paid.period}, which is approved. Unlock ${paid.period} first.`,
    { period: paid.period },
  );
}

/**
 * The days of the period and the current days of deals that moved out of it. Earnings on those days were blocked
 * while the period was frozen.
 */
async function daysToCalculate(tx: Transaction, { repId, period }: StatementKey): Promise<DayRange> {
  const range = await loadRange(tx, period);
  const { rows } = await sql<{ dealKey: string }>`
    select deal_key as "dealKey" from commission_events
    where workspace_id = ${tx.workspaceId} and rep_id = ${repId} and deal_key is not null
      and earned_on between ${range.from}::date and ${range.to}::date
    union
    select deal_key from trued_up_rows
    where workspace_id = ${tx.workspaceId} and rep_id = ${repId} and frozen_period = ${period}`.execute(tx.db);
  const moved = await loadCurrentDays(
    tx,
    rows.map(({ dealKey }) => dealKey),
  );
  return moved.reduce(hull, range);
}
