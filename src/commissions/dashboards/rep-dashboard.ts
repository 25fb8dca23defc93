import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { attainment, attainmentWithNextTier } from '../../earnings/attainment.js';
import {
  type ClosedDealRow,
  countClosedDeals,
  listClosedDeals,
  listCredits,
  listQuotas,
  type PipelineRow,
  sumOpenPipeline,
} from '../../earnings/commission-views.js';
import { convertedTotal, ratesOfTotals, withConvertedTotal } from '../../earnings/converted-total.js';
import { earnings, otherEarnings, sumByCurrency } from '../../earnings/earnings.js';
import { withRunningCredits } from '../../earnings/running-quotas.js';
import { loadTrend } from '../../earnings/trend.js';
import { findUnsetQuotas } from '../../earnings/unset-quotas.js';
import { roundToCurrency } from '../../kernel/currency.js';
import { type Day } from '../../kernel/day.js';
import { Decimal } from '../../kernel/decimal.js';
import { groupBy } from '../../kernel/group-by.js';
import { isUuid } from '../../kernel/ids.js';
import { type Period } from '../../kernel/period.js';
import { sumsByCurrency } from '../../kernel/sums-by-currency.js';
import { inParallel } from '../../kernel/waiting.js';
import { assignedPlans, calendarOf, loadRepTerms, type WorkspaceTerms } from '../../ledger/input/rep-terms.js';
import { repNotFound } from '../../people/reps/rep.js';
import { findRepName } from '../../people/reps/rep-views.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { listCorrections } from '../../statements/correction.js';
import { listDealDifferences } from '../../statements/discrepancies/deal-differences.js';
import { loadHeadline } from '../../statements/load-headline.js';
import { payHeadline, toHeadlineResponse } from '../../statements/payslip-response.js';

const closedDeal = z
  .object({
    dealId: fields.dealId,
    name: fields.dealName.nullable(),
    amount: z.number().nullable().describe('Amount of the deal in `currency`; null if it has none'),
    currency: z.string().nullable().describe('Currency of the deal, ISO 4217 code; null if it has none'),
    stage: fields.stage.nullable(),
    closeDate: fields.closeDate,
    commission: z
      .number()
      .describe(
        'What the rep earned for the deal less what refunds took back, also by true-ups and carried forward, in `commissionCurrency`',
      ),
    refunded: z
      .number()
      .optional()
      .describe('The part of `commission` that refunds took back, negative; absent if none did'),
    corrected: z.number().describe('The part of `commission` that true-ups and carried-forward differences paid'),
    openDifference: z
      .number()
      .describe('What approved periods owe for the deal and have not paid, in `commissionCurrency`'),
    commissionCurrency: z.string().describe('Currency of `commission`, ISO 4217 code'),
  })
  .describe('A deal that closed in the period');

const pipeline = z
  .object({
    deals: z.int().describe('Number of open deals'),
    total: z.number().describe('Sum of their amounts in the currency of the workspace'),
    otherCurrencies: z
      .array(
        z
          .object({ currency: fields.currency, total: z.number().describe('Sum of the open deals in this currency') })
          .describe('Sum of one currency'),
      )
      .describe('Sums of open deals in other currencies'),
  })
  .describe('Open deals that the rep owns or has a credit line on');

export const repDashboard = z
  .object({
    repId: fields.repId,
    name: z.string().describe('Name of the rep'),
    period: fields.period,
    currency: fields.currency,
    earnings,
    otherCurrencies: otherEarnings,
    converted: convertedTotal.optional(),
    payslip: payHeadline.optional(),
    attainment: z.array(attainment).describe('Attainment of every quota of the rep'),
    closedDealCount: z.int().describe('Number of deals that closed in the period'),
    closedDeals: z
      .array(closedDeal)
      .describe('Deals that closed in the period, latest first: 100 from `closedDealsOffset` on'),
    openPipeline: pipeline,
    trend: z
      .array(
        z
          .object({
            period: fields.period,
            total: z.number().describe('What was earned in the period, in `currency`'),
            otherCurrencies: z
              .array(
                z
                  .object({ currency: fields.currency, total: z.number().describe('What was earned in this currency') })
                  .describe('Earnings in one other currency'),
              )
              .optional()
              .describe('What was earned in other currencies; absent if nothing was'),
          })
          .describe('Earnings of one period'),
      )
      .describe('Earnings of the last periods, earliest first'),
  })
  .describe('What one rep earned in a period, with deals and attainment');
type RepDashboard = z.input<typeof repDashboard>;

/** One rep's period: earnings, attainment, closed deals, open pipeline, and earnings of the last twelve months. */
export async function readRepDashboard(
  tx: Transaction,
  repId: string,
  period: Period,
  workspace: WorkspaceTerms,
  today: Day,
  closedDealsOffset: number,
): Promise<RepDashboard> {
  if (!isUuid(repId)) throw repNotFound();
  const { currency } = workspace;
  const calendar = calendarOf({ workspace });
  const range = calendar.range(period);
  const [name, terms, { rows, trend }, quotas, credits, closed, closedDealCount, open] = await inParallel(
    () => findRepName(tx, repId),
    () => loadRepTerms(tx, repId, workspace),
    () => loadTrend(tx, repId, { period, calendar, currency }),
    () => listQuotas(tx, period, [repId]),
    () => listCredits(tx, repId, calendar.periodsAround(range), range.to),
    () => listClosedDeals(tx, repId, range, currency, closedDealsOffset),
    () => countClosedDeals(tx, repId, range),
    () => sumOpenPipeline(tx, repId, currency),
  );
  if (name === null) throw repNotFound();
  const plans = assignedPlans(terms);
  const ofDeals = { dealIds: closed.map(({ dealId }) => dealId), repIds: [repId] };
  const [corrections, differences] = await inParallel(
    () => listCorrections(tx, ofDeals),
    () => listDealDifferences(tx, ofDeals),
  );
  const late = { corrections: groupBy(corrections, byDeal), differences: groupBy(differences, byDeal) };
  const unset = findUnsetQuotas({ repId, period, calendar, today }, quotas, plans, credits);
  const counted = await withRunningCredits(tx, [...quotas, ...unset], today);
  return {
    repId,
    name,
    period,
    currency,
    ...withConvertedTotal(sumByCurrency(rows, currency), ratesOfTotals(workspace, range, today)),
    ...(await readPay(tx, repId, period, currency)),
    attainment: counted.map((quota) => attainmentWithNextTier(quota, plans, calendar, today)),
    closedDealCount,
    closedDeals: closed.map((deal) => toClosedDealResponse(deal, late)),
    openPipeline: toPipelineResponse(open, currency),
    trend: [...trend],
  };
}

/** What the statement of the period pays, or would pay now; nothing in workspaces without payouts. */
async function readPay(
  tx: Transaction,
  repId: string,
  period: Period,
  currency: string,
): Promise<Pick<RepDashboard, 'payslip'>> {
  const headline = await loadHeadline(tx, { repId, period }, currency);
  return headline === null ? {} : { payslip: toHeadlineResponse(headline) };
}

interface LateAmount {
  readonly dealId: string;
  readonly currency: string;
  readonly delta: string;
}

const byDeal = ({ dealId }: LateAmount) => dealId;

interface LateAmounts {
  readonly corrections: ReadonlyMap<string, readonly LateAmount[]>;
  readonly differences: ReadonlyMap<string, readonly LateAmount[]>;
}

/** Includes the amounts that came after an approval. If only these were paid, their currency is that of the commission. */
function toClosedDealResponse(deal: ClosedDealRow, late: LateAmounts): z.input<typeof closedDeal> {
  const corrections = late.corrections.get(deal.dealId) ?? [];
  const differences = late.differences.get(deal.dealId) ?? [];
  const earned = Decimal.of(deal.commission);
  const [first] = [...corrections, ...differences];
  const currency = earned.isZero() && first !== undefined ? first.currency : deal.commissionCurrency;
  const sumInCurrency = (amounts: readonly LateAmount[]) =>
    sumsByCurrency(toAmounts(amounts)).get(currency) ?? Decimal.zero;
  const corrected = sumInCurrency(corrections);
  const { refunded, ...same } = deal;
  return {
    ...same,
    ...(Decimal.of(refunded).isZero() ? {} : { refunded: Number(refunded) }),
    amount: deal.amount === null ? null : Number(deal.amount),
    commission: earned.plus(corrected).toNumber(),
    commissionCurrency: currency,
    corrected: corrected.toNumber(),
    openDifference: sumInCurrency(differences).toNumber(),
  };
}

function toAmounts(amounts: readonly LateAmount[]) {
  return amounts.map(({ currency, delta }) => ({ currency, amount: delta }));
}

function toPipelineResponse(rows: readonly PipelineRow[], currency: string): z.input<typeof pipeline> {
  const total = (row: PipelineRow) => roundToCurrency(Decimal.of(row.total), row.currency).toNumber();
  const own = rows.find((row) => row.currency === currency);
  return {
    deals: rows.reduce((count, row) => count + row.deals, 0),
    total: own === undefined ? 0 : total(own),
    otherCurrencies: rows.filter((row) => row !== own).map((row) => ({ currency: row.currency, total: total(row) })),
  };
}
