import { type Day } from '../kernel/day.js';
import { Decimal, sum } from '../kernel/decimal.js';
import { groupBy } from '../kernel/group-by.js';
import { deriveId } from '../kernel/ids.js';
import { mapInSlices } from '../kernel/waiting.js';
import { type TrueUpLine } from './true-up-line.js';

/** Totals of one currency as exact decimal text. */
export interface Summary {
  readonly totalCommission: string;
  readonly totalBonuses: string;
  readonly totalAdjustments: string;
  readonly netPayout: string;
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
}

/** The content of a statement. It does not depend on when or by whom the statement was generated. */
export interface Snapshot {
  readonly currency: string;
  readonly summary: Summary;
  readonly otherCurrencies: readonly CurrencySummary[];
  readonly dealCount: number;
  readonly lines: readonly StatementLine[];
}

/** Sums the lines into a statement. Amounts in different currencies are never added. */
export function createSnapshot(lines: readonly StatementLine[], currency: string): Snapshot {
  const byCurrency = groupBy(lines, (line) => line.currency);
  const others = [...byCurrency.keys()].filter((other) => other !== currency).sort();
  const deals = lines.filter((line) => line.kind === 'commission_earned' && line.dealId !== null);
  return {
    currency,
    summary: summarize(byCurrency.get(currency) ?? []),
    otherCurrencies: others.map((other) => ({ currency: other, summary: summarize(byCurrency.get(other) ?? []) })),
    dealCount: new Set(deals.map((line) => line.dealId)).size,
    lines,
  };
}

/** Equal for equal ledgers. Names, traces, actors and update times are not part of the hash. */
export async function contentHash({ currency, lines }: Snapshot): Promise<string> {
  const facts = await mapInSlices(
    lines,
    ({ dealName: _deal, planName: _plan, updatedAt: _at, trace: _trace, actor: _actor, ...fact }) =>
      JSON.stringify(fact),
  );
  return deriveId(`[${JSON.stringify(currency)},[${facts.join()}]]`);
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

/** The sum of several summaries of one currency. */
function sumSummaries(summaries: readonly Summary[]): Summary {
  const total = (field: keyof Summary) => sum(summaries.map((summary) => Decimal.of(summary[field])));
  return summaryFrom(total('totalCommission'), total('totalBonuses'), total('totalAdjustments'));
}

export const noAmounts = summaryFrom(Decimal.zero, Decimal.zero, Decimal.zero);
