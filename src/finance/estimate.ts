import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import { roundToCurrency } from '../kernel/currency.js';
import { type DayRange } from '../kernel/day.js';
import { Decimal, sum } from '../kernel/decimal.js';
import { sampleIds } from '../kernel/sample-ids.js';
import { type PayableRow } from '../pay/payables/payable-rows.js';
import { currency, money, period, text, uuid } from '../platform/operations/schemas.js';
import { type BookCalendar } from './book-calendar.js';
import { listMonths, type Month } from './month.js';

const estimateMethods = ['elapsed', 'forecast'] as const;

/** What is expected of a rule for a person, which the ledger does not have yet. */
export const estimateTerms = z
  .strictObject({
    repId: uuid.describe('Id of the rep (UUID)'),
    planId: uuid.describe('Id of the plan (UUID)'),
    ruleName: text(200).describe('Name of the rule, which pays by period or with retroactive tiers'),
    period: period.describe('Period of the rule, such as 2026-Q1, which contains the month and ends after it'),
    method: z
      .enum(estimateMethods)
      .describe('elapsed: the amount is the pay at 100% of the target; forecast: that of a forecast'),
    currency,
    pay: money
      .optional()
      .describe('Pay of the whole period, of which the part of the months that have ended is expected'),
    toDate: money
      .optional()
      .describe(
        'What the deals until the end of the month earn at the tier that the forecast reaches; instead of `pay`',
      ),
  })
  .describe('What is expected of a rule for a person');
export type EstimateTerms = z.output<typeof estimateTerms>;

/** As it is stored, with exact decimal texts. */
export interface StoredEstimate extends Omit<EstimateTerms, 'pay' | 'toDate'> {
  readonly pay: string | null;
  readonly toDate: string | null;
}

export const estimateRow = z
  .object({
    repId: fields.repId,
    repName: fields.repName,
    entity: z.string().describe('Code of the entity of the person on the last day'),
    planId: fields.planId,
    ruleName: fields.ruleName,
    period: z.string().describe('Period of the rule'),
    method: z.enum(estimateMethods).describe('How it was expected'),
    currency: fields.currency,
    pay: z.number().nullable().describe('Pay of the period; null with `toDate`'),
    toDate: z.number().nullable().describe('What the deals until then earn; null with `pay`'),
    elapsed: z.int().describe('Months of the period that have ended'),
    months: z.int().describe('Months of the period'),
    inLedger: z.number().describe('What of it the ledger had'),
    estimate: z
      .number()
      .describe('What is posted on the last day of the month, and reversed on the first day of the next'),
    outcome: z.number().nullable().describe('What the rule has paid for the period; null until it has ended'),
    error: z
      .number()
      .nullable()
      .describe('What was expected less the part of the outcome for the months that had ended; null until then'),
    errorPercent: z.number().nullable().describe('The error in percent of this part; null without one'),
  })
  .describe('An estimate');
export type EstimateRow = z.input<typeof estimateRow>;

/** Identifies an estimate among those of a month. */
export function keyOfEstimate({ repId, planId, ruleName, period, currency: code }: StoredEstimate): string {
  return `${repId}|${sourceOfEstimate({ planId, ruleName, period })}|${code}`;
}

export function sourceOfEstimate({
  planId,
  ruleName,
  period,
}: Pick<StoredEstimate, 'planId' | 'ruleName' | 'period'>): string {
  return `estimate|${planId}|${ruleName}|${period}`;
}

/** A month of the books in the period of a rule. */
export interface EstimatedMonth {
  /** The days of the period. */
  readonly range: DayRange;
  readonly month: Month;
  readonly calendar: BookCalendar;
}

/** The months of the period, and how many have ended with the month. */
export function countElapsed({ range, month, calendar: { monthOf } }: EstimatedMonth): {
  readonly elapsed: number;
  readonly months: number;
} {
  const all = listMonths(monthOf(range.from), monthOf(range.to));
  return { elapsed: all.filter((each) => each <= month).length, months: all.length };
}

/** What is expected until the end of the month. */
export function expectedUntil({ pay, toDate, currency: code }: StoredEstimate, at: EstimatedMonth): Decimal {
  if (pay === null) return Decimal.of(toDate ?? '0');
  return roundToCurrency(partUntil(Decimal.of(pay), at), code);
}

/** The part of the pay of a period for the months that have ended. */
export function partUntil(pay: Decimal, at: EstimatedMonth): Decimal {
  const { elapsed, months } = countElapsed(at);
  return pay.times(Decimal.of(elapsed)).dividedBy(Decimal.of(months));
}

/** What is expected and not in the ledger at the end of the month. Nothing once the period has ended. */
export function estimateOf(estimate: StoredEstimate, rows: readonly PayableRow[], at: EstimatedMonth): Decimal {
  const { range, month, calendar } = at;
  const { to } = calendar.range(month);
  if (range.to <= to) return Decimal.zero;
  return expectedUntil(estimate, at).minus(sumOfRule(estimate, rows, { from: range.from, to }));
}

/** What the rows of the rule are worth that are earned on the days. */
export function sumOfRule(
  { planId, ruleName, currency: code }: StoredEstimate,
  rows: readonly PayableRow[],
  { from, to }: DayRange,
): Decimal {
  const own = rows.filter(
    (row) =>
      row.planId === planId &&
      row.ruleName === ruleName &&
      row.currency === code &&
      row.category !== 'adjustment' &&
      from <= row.day &&
      row.day <= to,
  );
  return sum(own.map(({ amount }) => Decimal.of(amount)));
}

export const estimateExample = {
  repId: sampleIds.repId,
  planId: sampleIds.planId,
  ruleName: 'Quarterly bonus',
  period: '2026-Q1',
  method: 'forecast',
  currency: 'USD',
  pay: 4000,
} as const;

export const estimateRowExample = {
  ...estimateExample,
  repName: 'Ben',
  entity: 'main',
  toDate: null,
  elapsed: 1,
  months: 3,
  inLedger: 0,
  estimate: 1333.33,
  outcome: 4250,
  error: -83.34,
  errorPercent: -5.9,
} as const;
