import { type Decision, type RepResult } from '../engine/model.js';
import { type CascadeInput, decodeInputs } from '../engine/trace.js';
import { addTo } from '../kernel/add-to.js';
import { type DayRange, isWithin } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { type EventLoopSlice } from '../kernel/waiting.js';
import { type LedgerRow } from '../ledger/input/ledger-rows.js';
import { type DealEvent } from '../ledger/input/load-window.js';
import { type LoadedRepInput } from '../ledger/input/rep-input.js';
import { pairRows } from '../ledger/output/difference.js';
import { type Earnings, rowKey } from './team-calculation.js';

/** One side of a row that moves. */
export type RowState = Pick<
  LedgerRow,
  'phase' | 'amount' | 'credit' | 'attainmentKey' | 'currency' | 'period' | 'earnedOn' | 'share'
>;

/** A row of the ledger that a change would insert, alter or reverse. */
export interface MovedRow {
  readonly repId: string;
  readonly planId: string;
  readonly ruleName: string;
  readonly dealKey: string;
  readonly before: RowState | null;
  readonly after: RowState | null;
  /** The rule that pays the row after the change. */
  readonly ruleId: string | null;
  /** What a cascade rule calculates the row after the change from; null for other rules. */
  readonly inputs: readonly CascadeInput[] | null;
}

/** The rows of a rep that move, and what they change for managers and peers. */
export interface RepMoves extends Earnings {
  readonly rows: readonly MovedRow[];
}

/** The moved rows, each with its state before and after where that state is earned in the range. */
export function withinRange(moved: readonly MovedRow[], range: DayRange): MovedRow[] {
  const stateInRange = (state: RowState | null) => (state !== null && isWithin(state.earnedOn, range) ? state : null);
  return moved
    .map((row) => ({ ...row, before: stateInRange(row.before), after: stateInRange(row.after) }))
    .filter(({ before, after }) => before !== null || after !== null);
}

/** The difference between the stored rows and the result. */
export async function compareWithStored(
  input: LoadedRepInput,
  result: RepResult,
  slice: EventLoopSlice,
): Promise<RepMoves> {
  const rows = movedRows(input.repId, await pairRows(input.repId, input, result, slice));
  const ofDeals = rows.filter(({ before, after }) => (before ?? after)?.phase !== 'periodic');
  return {
    rows,
    events: ofDeals.flatMap((row) => (row.after === null ? [] : [toEvent(row, row.after)])),
    withdrawn: new Set(ofDeals.flatMap((row) => (row.before === null ? [] : [rowKey(row)]))),
    credits: movedCredits(rows),
  };
}

/** Compares without the event ids and hashes of the rows, which only writes need. */
function movedRows(repId: string, { pairs, reversals }: Awaited<ReturnType<typeof pairRows>>): MovedRow[] {
  const rows: MovedRow[] = [];
  for (const { decision, before } of pairs) {
    const stored = before === null || before.status === 'reversed' ? null : toState(before);
    const after = decidedState(decision);
    if (stored !== null && isSameState(stored, after)) continue;
    const { planId, ruleId, ruleName, dealKey } = decision;
    const inputs = decision.phase === 'cascade' ? decodeInputs(decision.trace) : null;
    rows.push({ repId, planId, ruleName, dealKey, before: stored, after, ruleId, inputs });
  }
  for (const row of reversals) {
    const { planId, ruleName, dealKey } = row;
    rows.push({ repId, planId, ruleName, dealKey, before: toState(row), after: null, ruleId: null, inputs: null });
  }
  return rows;
}

function toState({ amount, credit, ...row }: LedgerRow): RowState {
  const { phase, attainmentKey, currency, period, earnedOn, share } = row;
  // The database may write the same number with more digits.
  return { phase, amount: plain(amount), credit: plain(credit), attainmentKey, currency, period, earnedOn, share };
}

function plain(number: string): string {
  return number.includes('.') && number.endsWith('0') ? Decimal.of(number).toString() : number;
}

function decidedState(decision: Decision): RowState {
  const { phase, attainmentKey, currency, period, earnedOn, share } = decision;
  const amounts = { amount: decision.amount.toString(), credit: decision.credit.toString() };
  return { phase, ...amounts, attainmentKey, currency, period, earnedOn, share };
}

function isSameState(a: RowState, b: RowState): boolean {
  return (
    a.amount === b.amount &&
    isSameCredit(a, b) &&
    a.currency === b.currency &&
    a.earnedOn === b.earnedOn &&
    a.share === b.share &&
    a.phase === b.phase
  );
}

function isSameCredit(a: RowState, b: RowState): boolean {
  return a.credit === b.credit && a.attainmentKey === b.attainmentKey && a.period === b.period;
}

function movedCredits(rows: readonly MovedRow[]): Map<string, Decimal> {
  const credits = new Map<string, Decimal>();
  const add = (planId: string, { attainmentKey, period }: RowState, credit: Decimal) => {
    const key = `${planId}|${attainmentKey}|${period}`;
    addTo(credits, key, credit);
  };
  for (const { planId, before, after } of rows) {
    if (before !== null && after !== null && isSameCredit(before, after)) continue;
    if (before !== null) add(planId, before, Decimal.of(before.credit).negated());
    if (after !== null) add(planId, after, Decimal.of(after.credit));
  }
  return credits;
}

function toEvent(row: MovedRow, after: RowState): DealEvent {
  const { repId, planId, ruleName, dealKey } = row;
  const { phase, currency, amount, share } = after;
  return { repId, planId, ruleName, dealKey, phase, currency, amount: Decimal.of(amount), share };
}
