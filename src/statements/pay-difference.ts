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
import { addCorrection, finishCorrection, startCorrection } from '../pay/payables/correct-period.js';
import { assertPayRates } from '../pay/payables/pay-currency.js';
import { type PayPeriods } from '../pay/payables/pay-periods.js';
import { loadPayPeriods } from '../pay/payables/payout-settings.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { failpoint } from '../platform/failpoint.js';
import { adjustmentDay } from './adjustment.js';
import { insertTrueUps, type NewTrueUp } from './adjustment-store.js';
import { listApprovers } from './approvers.js';
import { closeDiscrepancies } from './discrepancies/record-discrepancies.js';
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
  currency: fields.currency
    .describe(
      'Currency of the delta: that of the statement, or the first in which something is owed, ISO 4217 code. Absent if nothing is',
    )
    .optional(),
  delta: z
    .number()
    .describe('Difference between a new calculation of the period and the approved total, in `currency`'),
  lines: z
    .array(trueUpLine)
    .optional()
    .describe('The lines of the deltas by currency, largest first. Absent if nothing is owed'),
  approvalThreshold: z
    .number()
    .optional()
    .describe('Absolute delta of a currency above which a true-up needs force, in that currency'),
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
        .object({
          currency: fields.currency,
          delta: z.number().describe('Difference in this currency'),
          eventId: fields.eventId.optional(),
        })
        .describe('Delta of one currency, with the event that pays it'),
    )
    .optional()
    .describe('Deltas in other currencies, which are paid by events of their own. Absent without any'),
});
export type TrueUpResponse = z.input<typeof trueUpResponse>;

/** A delta above this amount, in any currency, needs force. */
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

/** What is owed, as the responses have it. The events are those that pay it. */
export function toDeltas(
  { owed: { amounts } }: Difference,
  eventIds: ReadonlyMap<string, string> = new Map(),
): Pick<TrueUpResponse, 'currency' | 'delta' | 'eventId' | 'otherCurrencies'> {
  const [first, ...others] = amounts.map(({ currency, delta }) => {
    const eventId = eventIds.get(currency);
    return { currency, delta: delta.toNumber(), ...(eventId === undefined ? {} : { eventId }) };
  });
  return { ...(first ?? { delta: 0 }), ...(others.length === 0 ? {} : { otherCurrencies: others }) };
}

/** Pays the differences in the approved period, or returns what it would pay. The caller holds the rep's lane. */
export async function payTrueUp(
  tx: Transaction,
  recalculate: Recalculate,
  key: StatementKey,
  difference: Difference,
  by: Payment & { readonly force: boolean },
): Promise<TrueUpResponse> {
  const { amounts } = difference.owed;
  if (amounts.length === 0) return { action: 'none', ...toDeltas(difference) };
  const lines = amounts.flatMap((amount) => amount.lines.map((line) => toTrueUpLineResponse(line, amount.currency)));
  const isLarge = amounts.some(({ delta }) => Decimal.of(approvalThreshold).isLessThan(delta.absolute()));
  if (!by.force && isLarge)
    return {
      action: 'requires_approval',
      ...toDeltas(difference),
      lines,
      approvalThreshold,
      ...(await approval(tx, key)),
    };
  const { eventIds, version } = await trueUp(tx, recalculate, key, difference, by);
  return { action: 'trued_up', ...toDeltas(difference, eventIds), lines, version };
}

/** Writes an event for the difference of each currency, and a version with them, which replaces the approved version. */
async function trueUp(
  tx: Transaction,
  recalculate: Recalculate,
  key: StatementKey,
  { terms, frozen, statement: approved, owed }: Difference,
  { caller, reason, at }: Payment,
): Promise<{ eventIds: ReadonlyMap<string, string>; version: number }> {
  const { repId, period: statementPeriod } = key;
  const runId = newId();
  const entry = { repId, runId, actor: caller.actor };
  const eventIds = await insertTrueUps(
    tx,
    entry,
    trueUpsOf(owed, {
      source: statementPeriod,
      period: statementPeriod,
      earnedOn: frozen.range.to,
      reason: `True-up of version ${approved.version}`,
    }),
  );
  await failpoint('trueup.afterInsert');
  const correction = await startCorrection(tx, repId, frozen);
  await storeTruedUpRows(tx, recalculate, terms, frozen, owed.rows);
  const days = { paidUntil: frozen.range.to, today: currentDay(terms.workspace, at) };
  const paid = correction === null ? null : await finishCorrection(tx, correction, eventIds, { ...owed.rows, ...days });
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
    eventsWritten: eventIds.size,
    details: {
      ...describeOwed(owed, eventIds),
      before: approved.summary,
      after: next.summary,
      version: next.version,
    },
    at,
  });
  await closeDiscrepancies(tx, key, { action: 'true_up', reason, caller, eventIds, at });
  return { eventIds, version: next.version };
}

/** A true-up for each currency. */
function trueUpsOf(
  { amounts }: Owed,
  paid: Pick<NewTrueUp, 'source' | 'period' | 'earnedOn' | 'reason'>,
): readonly NewTrueUp[] {
  return amounts.map(({ currency, delta, lines }) => ({ ...paid, amount: delta.toString(), currency, lines }));
}

/** What a correction pays, for the audit log. */
function describeOwed({ amounts }: Owed, eventIds: ReadonlyMap<string, string>): object {
  const [first, ...others] = amounts.map(({ currency, delta, lines }) => ({
    eventId: eventIds.get(currency),
    currency,
    delta: delta.toString(),
    lines: lines.slice(0, maxAuditedLines),
  }));
  return { ...first, ...(others.length === 0 ? {} : { otherCurrencies: others }) };
}

const maxAuditedLines = 100;

/**
 * Pays the differences in the first later period with open days. The approved statement does not change. The caller holds
 * the rep's lane.
 */
export async function carryForward(
  tx: Transaction,
  recalculate: Recalculate,
  key: StatementKey,
  { terms, frozen, owed }: Difference,
  { caller, reason, at }: Payment,
): Promise<{ eventIds: ReadonlyMap<string, string>; period: Period }> {
  const { repId, period: sourcePeriod } = key;
  const today = currentDay(terms.workspace, at);
  const target = firstOpenPeriod(await loadPayPeriods(tx), sourcePeriod, today, terms);
  const runId = newId();
  const entry = { repId, runId, actor: caller.actor };
  const eventIds = await insertTrueUps(
    tx,
    entry,
    trueUpsOf(owed, { source: sourcePeriod, ...target, reason: `Carried forward from ${sourcePeriod}` }),
  );
  const correction = await startCorrection(tx, repId, frozen);
  await storeTruedUpRows(tx, recalculate, terms, frozen, owed.rows);
  const paidUntil = calendarOf(terms).range(target.period).to;
  if (correction !== null) await finishCorrection(tx, correction, eventIds, { ...owed.rows, paidUntil });
  await recordStatementEntry(tx, caller, {
    runId,
    trigger: 'carried_forward',
    repId,
    period: sourcePeriod,
    eventsWritten: eventIds.size,
    details: { ...describeOwed(owed, eventIds), paidIn: target.period },
    at,
  });
  await closeDiscrepancies(tx, key, { action: 'carry_forward', reason, caller, eventIds, at });
  return { eventIds, period: target.period };
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
