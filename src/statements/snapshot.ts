import { chunk } from '../kernel/chunk.js';
import { type Day } from '../kernel/day.js';
import { Decimal, sum } from '../kernel/decimal.js';
import { groupBy } from '../kernel/group-by.js';
import { deriveId } from '../kernel/ids.js';
import { mapInSlices } from '../kernel/waiting.js';
import { describePayable, type StoredPayable, valuesOf } from '../pay/payables/stored-payable.js';
import { type TrueUpLine } from './true-up-line.js';

/** Totals of one currency as exact decimal text. */
export interface Summary {
  readonly totalCommission: string;
  readonly totalBonuses: string;
  readonly totalAdjustments: string;
  readonly netPayout: string;
  /** What the statement pays of what is earned; absent in workspaces without payouts. */
  readonly payable?: string;
}

export interface CurrencySummary {
  readonly currency: string;
  readonly summary: Summary;
}

/** One earned event as the statement stores it: amounts as exact decimal text, names at the time of generation. */
export interface StatementLine {
  readonly eventId: string;
  readonly dealId: string | null;
  readonly dealName: string | null;
  readonly closeDate: Day | null;
  readonly planId: string | null;
  readonly planName: string | null;
  readonly planVersion: number | null;
  readonly ruleId: string | null;
  readonly ruleName: string | null;
  readonly kind: 'commission_earned' | 'true_up' | 'adjustment' | 'clawback';
  readonly category: 'commission' | 'bonus' | 'adjustment';
  readonly status: 'earned';
  readonly amount: string;
  readonly base: string | null;
  readonly rate: string | null;
  readonly attainment: string | null;
  readonly tierName: string | null;
  readonly credit: string;
  readonly currency: string;
  readonly period: string;
  readonly earnedOn: Day;
  readonly reason: string | null;
  readonly updatedAt: string;
  /**
   * How the amount was computed, encoded by engine/trace.ts. Absent in statements generated before traces were
   * stored.
   */
  readonly trace?: string | null;
  /** The person or key that entered the line; null for the engine. */
  readonly actor?: string | null;
  /** The approved period whose difference a true-up of this period pays. */
  readonly sourcePeriod?: string;
  /** A true-up has the lines that it pays. */
  readonly lines?: readonly TrueUpLine[];
  /** The refund of the deal that takes the amount back. */
  readonly refundId?: string;
}

/** The content of a statement. It does not depend on when or by whom the statement was generated. */
export interface Snapshot {
  readonly currency: string;
  readonly summary: Summary;
  readonly otherCurrencies: readonly CurrencySummary[];
  readonly dealCount: number;
  readonly lines: readonly StatementLine[];
  /** Absent in workspaces without payouts, and in other periods than pay periods. */
  readonly payable?: StoredPayable;
}

/** The totals of a statement by currency, those in its own currency first. */
export function listSummaries({
  currency,
  summary,
  otherCurrencies,
}: Pick<Snapshot, 'currency' | 'summary' | 'otherCurrencies'>): readonly CurrencySummary[] {
  return [{ currency, summary }, ...otherCurrencies];
}

/** Sums the lines into a statement. Amounts in different currencies are never added. */
export function createSnapshot(lines: readonly StatementLine[], currency: string, payable?: StoredPayable): Snapshot {
  const byCurrency = groupBy(lines, (line) => line.currency);
  const paid = (payable?.totals ?? []).map((total) => total.currency);
  const others = [...new Set([...byCurrency.keys(), ...paid])].filter((other) => other !== currency).sort();
  const deals = lines.filter((line) => line.kind === 'commission_earned' && line.dealId !== null);
  const summaryIn = (code: string) => withPayable(summarize(byCurrency.get(code) ?? []), code, payable);
  return {
    currency,
    summary: summaryIn(currency),
    otherCurrencies: others.map((other) => ({ currency: other, summary: summaryIn(other) })),
    dealCount: new Set(deals.map((line) => line.dealId)).size,
    lines,
    ...(payable === undefined ? {} : { payable }),
  };
}

export function withPayable(summary: Summary, currency: string, payable: StoredPayable | undefined): Summary {
  if (payable === undefined) return summary;
  return { ...summary, payable: payable.totals.find((total) => total.currency === currency)?.payable ?? '0' };
}

/** What a signature covers of a line and of the lines of a true-up, in this order. Names and calculations are no content. */
export const signedFields = {
  line: [
    'eventId',
    'dealId',
    'closeDate',
    'planId',
    'planVersion',
    'ruleId',
    'ruleName',
    'kind',
    'category',
    'status',
    'amount',
    'base',
    'rate',
    'attainment',
    'tierName',
    'credit',
    'currency',
    'period',
    'earnedOn',
    'reason',
    'sourcePeriod',
    'refundId',
  ],
  trueUpLine: ['dealId', 'planId', 'ruleName', 'approved', 'live', 'delta'],
} as const satisfies {
  readonly line: readonly (keyof StatementLine)[];
  readonly trueUpLine: readonly (keyof TrueUpLine)[];
};

/** Text that is equal for equal lines, whatever the order in which the database returns keys. */
export function describeLine(line: StatementLine): string {
  const trueUp = (line.lines ?? []).map((each) => valuesOf(each, signedFields.trueUpLine));
  return JSON.stringify([...valuesOf(line, signedFields.line), trueUp]);
}

/** Equal for equal ledgers. The program of a packet of evidence computes it again. */
export async function contentHash({ currency, lines, payable }: Snapshot): Promise<string> {
  const facts = await mapInSlices(lines, describeLine);
  const paid = payable === undefined ? 'null' : describePayable(payable);
  return deriveId(`[${JSON.stringify(currency)},[${facts.join()}],${paid}]`);
}

function summarize(lines: readonly StatementLine[]): Summary {
  const total = (category: StatementLine['category']) =>
    sum(lines.filter((line) => line.category === category).map((line) => Decimal.of(line.amount)));
  return summaryFrom(total('commission'), total('bonus'), total('adjustment'));
}

export function summaryFrom(commission: Decimal, bonus: Decimal, adjustments: Decimal): Summary {
  return {
    totalCommission: commission.toString(),
    totalBonuses: bonus.toString(),
    totalAdjustments: adjustments.toString(),
    netPayout: commission.plus(bonus).plus(adjustments).toString(),
  };
}

/** The sums in each currency. Amounts in different currencies are never added. */
export function totalsByCurrency(summaries: readonly CurrencySummary[]): CurrencySummary[] {
  return [...groupBy(summaries, ({ currency }) => currency)].map(([currency, inIt]) => ({
    currency,
    summary: sumSummaries(inIt.map(({ summary }) => summary)),
  }));
}

/** So many summaries are added up in one piece, in a millisecond. */
const addedTogether = 200;

/** {@link totalsByCurrency} of a long list, without blocking the process. */
export async function totalsInSlices(summaries: readonly CurrencySummary[]): Promise<CurrencySummary[]> {
  return totalsByCurrency((await mapInSlices(chunk(summaries, addedTogether), totalsByCurrency)).flat());
}

/** The sum of several summaries of one currency. */
function sumSummaries(summaries: readonly Summary[]): Summary {
  const total = (field: keyof Summary) => sum(summaries.map((summary) => Decimal.of(summary[field] ?? '0')));
  const totals = summaryFrom(total('totalCommission'), total('totalBonuses'), total('totalAdjustments'));
  const isPaid = summaries.some(({ payable }) => payable !== undefined);
  return isPaid ? { ...totals, payable: total('payable').toString() } : totals;
}

export const noAmounts = summaryFrom(Decimal.zero, Decimal.zero, Decimal.zero);
