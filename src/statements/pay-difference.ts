import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import { type Caller } from '../kernel/caller.js';
import { addDays, currentDay, type Day } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { Failure } from '../kernel/failure.js';
import { newId } from '../kernel/ids.js';
import { type Period } from '../kernel/period.js';
import { isFiscalPeriod, type PeriodCalendar } from '../kernel/period-calendar.js';
import { calendarOf, type FrozenPeriod, loadRepTerms, type RepTerms } from '../ledger/input/rep-terms.js';
import { storeTruedUpRows } from '../ledger/output/trued-up-state.js';
import { type Recalculate } from '../ledger/requests/recalculate.js';
import { addCorrection, finishCorrection, startCorrection } from '../payables/correct-period.js';
import { assertPayRates } from '../payables/pay-currency.js';
import { type PayPeriods } from '../payables/pay-periods.js';
import { loadPayPeriods } from '../payables/payout-settings.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { failpoint } from '../platform/failpoint.js';
import { adjustmentDay } from './adjustment.js';
import { insertAdjustment, insertTrueUpLines } from './adjustment-store.js';
import { listApprovers } from './approvers.js';
import { closeDiscrepancy } from './discrepancies/record-discrepancies.js';
import { calculateOwedByPeriod, type Owed } from './owed.js';
import { type StatementKey, statementNotApproved } from './statement.js';
import { generateCorrected, recordStatementEntry, replaceApproved } from './statement-store.js';
import { findLatest, type StoredStatement } from './statement-views.js';
import { toTrueUpLineResponse, trueUpLine } from './true-up-line.js';

export const trueUpResponse = z.object({
  action: z
    .enum(['none', 'requires_approval', 'trued_up'])
    .describe(
      'none: there is no difference; requires_approval: nothing was written; trued_up: the difference was written',
    ),
  delta: z
    .number()
    .describe("Difference between a new calculation of the period and the approved total, in the statement's currency"),
  lines: z.array(trueUpLine).optional().describe('The lines of the delta, largest first. Absent if the delta is 0'),
  approvalThreshold: z
    .number()
    .optional()
    .describe("Absolute delta above which a true-up needs force, in the statement's currency"),
  approvers: z
    .array(
      z
        .object({
          repId: fields.repId,
          name: z.string().describe('Name of the person'),
          role: z.string().describe('Role of the person'),
        })
        .describe('A person who may approve'),
    )
    .optional()
    .describe('People who may approve a delta above the threshold'),
  how: z.string().optional().describe('How to approve the true-up'),
  eventId: fields.eventId.optional(),
  version: z.int().optional().describe('New version of the statement'),
  otherCurrencies: z
    .array(
      z
        .object({ currency: fields.currency, delta: z.number().describe('Difference in this currency') })
        .describe('Delta of one currency'),
    )
    .optional()
    .describe('Deltas in other currencies'),
});
export type TrueUpResponse = z.input<typeof trueUpResponse>;

/** A delta above this amount, in the currency of the statement, needs force. */
const approvalThreshold = 500;

/** An approved statement with the difference that it owes. */
export interface Difference {
  readonly terms: RepTerms;
  readonly frozen: FrozenPeriod;
  readonly statement: StoredStatement;
  readonly owed: Owed;
}

export async function findDifference(tx: Transaction, key: StatementKey, at: Date): Promise<Difference> {
  const terms = await loadRepTerms(tx, key.repId);
  const frozen = terms.frozen.find(({ period: frozenPeriod }) => frozenPeriod === key.period);
  const stored = frozen === undefined ? null : await findLatest(tx, key);
  if (frozen === undefined || stored === null) throw statementNotApproved();
  const { latest } = stored;
  const asOf = currentDay(terms.workspace, at);
  const [owed] = await calculateOwedByPeriod(tx, terms, [{ frozen, statement: latest }], asOf);
  return { terms, frozen, statement: latest, owed: owed as Owed };
}

async function approval(tx: Transaction, { repId }: StatementKey): Promise<Pick<TrueUpResponse, 'approvers' | 'how'>> {
  return {
    approvers: await listApprovers(tx, repId),
    how: 'Check the lines. Then send the same request with force: true, as one of the approvers or with an API key of the workspace.',
  };
}

/** Who pays a difference, when, and the reason if one was given. */
interface Payment {
  readonly caller: Caller;
  readonly reason: string | null;
  readonly at: Date;
}

/** Pays the difference in the approved period, or returns what it would pay. The caller holds the rep's lane. */
export async function payTrueUp(
  tx: Transaction,
  recalculate: Recalculate,
  key: StatementKey,
  difference: Difference,
  by: Payment & { readonly force: boolean },
): Promise<TrueUpResponse> {
  const { delta, lines, otherCurrencies } = difference.owed;
  const response = {
    delta: delta.toNumber(),
    ...(otherCurrencies.length === 0
      ? {}
      : { otherCurrencies: otherCurrencies.map((other) => ({ ...other, delta: other.delta.toNumber() })) }),
  };
  if (delta.isZero()) return { action: 'none', ...response };
  const withLines = { ...response, lines: lines.map(toTrueUpLineResponse) };
  if (!by.force && Decimal.of(approvalThreshold).isLessThan(delta.absolute()))
    return { action: 'requires_approval', ...withLines, approvalThreshold, ...(await approval(tx, key)) };
  return { action: 'trued_up', ...withLines, ...(await trueUp(tx, recalculate, key, difference, by)) };
}

/** Writes one event for the difference, and a version that includes it, which replaces the approved version. */
async function trueUp(
  tx: Transaction,
  recalculate: Recalculate,
  key: StatementKey,
  { terms, frozen, statement: approved, owed }: Difference,
  { caller, reason, at }: Payment,
): Promise<{ eventId: string; version: number }> {
  const { repId, period: statementPeriod } = key;
  const runId = newId();
  const entry = { repId, runId, actor: caller.actor };
  const eventId = await insertAdjustment(tx, entry, {
    kind: 'true_up',
    amount: owed.delta.toString(),
    currency: approved.currency,
    period: statementPeriod,
    earnedOn: frozen.range.to,
    dealId: null,
    reason: `True-up of version ${approved.version}`,
  });
  await insertTrueUpLines(tx, entry, { eventId, period: statementPeriod, lines: owed.lines });
  await failpoint('trueup.afterInsert');
  const correction = await startCorrection(tx, repId, frozen);
  await storeTruedUpRows(tx, recalculate, terms, frozen, owed.rows);
  const paid =
    correction === null
      ? null
      : await finishCorrection(tx, correction, eventId, { ...owed.rows, paidUntil: frozen.range.to });
  const payable = correction === null || paid === null ? null : addCorrection(correction, paid);
  const generation = { status: 'approved', at, actor: caller.actor } as const;
  const next = await generateCorrected(tx, key, approved.currency, payable, generation);
  assertPayRates(next);
  await replaceApproved(tx, key, next);
  await recordStatementEntry(tx, caller, {
    runId,
    trigger: 'true_up',
    repId,
    period: statementPeriod,
    eventsWritten: 1,
    details: {
      eventId,
      delta: owed.delta.toString(),
      before: approved.summary,
      after: next.summary,
      version: next.version,
      lines: owed.lines.slice(0, maxAuditedLines),
    },
    at,
  });
  await closeDiscrepancy(tx, key, { action: 'true_up', reason, caller, eventId, at }, owed.otherCurrencies);
  return { eventId, version: next.version };
}

const maxAuditedLines = 100;

/**
 * Pays the difference in the first later period with open days. The approved statement does not change. The caller holds
 * the rep's lane.
 */
export async function carryForward(
  tx: Transaction,
  recalculate: Recalculate,
  key: StatementKey,
  { terms, frozen, statement: approved, owed }: Difference,
  { caller, at }: { readonly caller: Caller; readonly at: Date },
): Promise<{ eventId: string; period: Period }> {
  const { repId, period: sourcePeriod } = key;
  const today = currentDay(terms.workspace, at);
  const target = firstOpenPeriod(await loadPayPeriods(tx), sourcePeriod, today, terms);
  const runId = newId();
  const entry = { repId, runId, actor: caller.actor };
  const amount = owed.delta.toString();
  const eventId = await insertAdjustment(tx, entry, {
    kind: 'true_up',
    amount,
    currency: approved.currency,
    ...target,
    dealId: null,
    reason: `Carried forward from ${sourcePeriod}`,
  });
  await insertTrueUpLines(tx, entry, { eventId, period: sourcePeriod, lines: owed.lines });
  const correction = await startCorrection(tx, repId, frozen);
  await storeTruedUpRows(tx, recalculate, terms, frozen, owed.rows);
  const paidUntil = calendarOf(terms).range(target.period).to;
  if (correction !== null) await finishCorrection(tx, correction, eventId, { ...owed.rows, paidUntil });
  await recordStatementEntry(tx, caller, {
    runId,
    trigger: 'carried_forward',
    repId,
    period: sourcePeriod,
    eventsWritten: 1,
    details: { eventId, delta: amount, paidIn: target.period, lines: owed.lines.slice(0, maxAuditedLines) },
    at,
  });
  return { eventId, period: target.period };
}

/** Periods of the kind of the source. Approvals for this many periods in advance are an error. */
const maxPeriodsAhead = 120;

function firstOpenPeriod(
  payPeriods: PayPeriods | null,
  source: Period,
  today: Day,
  terms: RepTerms,
): { readonly period: Period; readonly earnedOn: Day } {
  const calendar = calendarOf(terms);
  const byDay = [...terms.frozen].sort((a, b) => (a.range.from < b.range.from ? -1 : 1));
  let period = source;
  for (let ahead = 0; ahead < maxPeriodsAhead; ahead += 1) {
    const next = findPeriodAfter(payPeriods, calendar, period);
    if (next === null) break;
    period = next;
    const earnedOn = adjustmentDay(calendar.range(period), today, byDay);
    if (earnedOn !== null) return { period, earnedOn };
  }
  const message = isFiscalPeriod(source)
    ? `Every period after ${source} is approved or in no fiscal year. Define the next year, or use true_up.`
    : `Every period after ${source} is approved. Use true_up.`;
  throw new Failure('statement_locked', message, { period: source });
}

/** The pay period after the period, or before the first one and without payouts the next of its kind. */
function findPeriodAfter(payPeriods: PayPeriods | null, calendar: PeriodCalendar, period: Period): Period | null {
  const day = addDays(calendar.range(period).to, 1);
  return payPeriods?.findOn(day)?.period ?? calendar.findNext(period);
}
