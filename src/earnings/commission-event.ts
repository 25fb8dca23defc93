import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import { dealOfKey, parseRefundKey } from '../engine/clawback.js';
import { type Phase } from '../engine/model.js';
import { type Trace } from '../engine/trace.js';
import { type Day } from '../kernel/day.js';
import { conditionTraces } from '../plans/condition-traces.js';
import { proration } from '../plans/quotas/proration.js';
import { paidLines, paidLinesOf } from './paid-lines.js';

const refundTrace = z
  .object({
    earnedOn: z.string().describe('Day on which the amount that is taken back was earned, YYYY-MM-DD'),
    refunded: z.number().describe('What the customer got back, as far as earlier refunds left it; 1 for a whole deal'),
    dealAmount: z.number().nullable().describe('Amount of the deal; null for a deal without one'),
    windowFrom: z.string().optional().describe('Day from which the clawback counts, YYYY-MM-DD'),
    elapsedDays: z.int().optional().describe('Days from then until the refund'),
    percent: z.number().optional().describe('What the plan takes back after so many days, in percent'),
    waivedPercent: z.number().optional().describe('What the person keeps of that, in percent'),
    takenBefore: z.number().describe('Part of the amount, of 1, that earlier refunds took back'),
    taken: z.number().describe('Part of the amount, of 1, that all refunds until this one take back'),
  })
  .describe('What a refund takes back; base is the amount that was earned');

const conversion = z
  .object({
    from: z.string().describe('ISO 4217 code of the currency of the values'),
    to: z.string().describe('ISO 4217 code of the currency of the event'),
    day: z.string().describe('The day whose rate was looked up, YYYY-MM-DD'),
    provisional: z
      .literal(true)
      .optional()
      .describe('The period of the day has not ended, so that a later rate may replace this one'),
    rate: z.number().describe('Units of to for one unit of from, to 10 decimals'),
    legs: z
      .array(
        z
          .object({
            from: z.string().describe('ISO 4217 code of the currency that the stored rate converts'),
            to: z.string().describe('ISO 4217 code of the currency into which it converts'),
            day: z.string().describe('First day of the stored rate, YYYY-MM-DD'),
            rate: z.number().describe('The stored rate'),
          })
          .describe('A stored rate'),
      )
      .describe(
        'The stored rates that were used, each in its own direction: one, or two through the currency of the workspace',
      ),
    values: z
      .array(
        z
          .object({
            field: z.string().optional().describe('Slug of the field; absent for what a person below earned'),
            repId: z.string().optional().describe('Id of the person below who earned the value'),
            ruleName: z.string().optional().describe('Name of the rule that paid the person below'),
            value: z.number().describe('The value before the conversion'),
            converted: z.number().describe('The value in the currency of the event'),
          })
          .describe('A converted value'),
      )
      .describe('The values that this rate converted'),
  })
  .describe('Values that one exchange rate converted');

const lookedUp = {
  table: z.string().describe('Name of the rate table'),
  keys: z.array(z.unknown()).describe('Values of the keys that were looked up, in the order of the table'),
};

const lineTrace = z
  .object({
    lineId: z.string().describe('Id of the line'),
    name: z.string().nullable().describe('Name of the product, or its code; null without one'),
    counted: z.boolean().describe('Whether the line counts'),
    reason: z.string().optional().describe('Why the line pays nothing, as a code'),
    conditions: conditionTraces.optional().describe('The conditions of lines, if the line does not match them'),
    tier: z.number().optional().describe('Index of the tier that pays the line'),
    table: lookedUp.table.optional(),
    keys: lookedUp.keys.optional(),
    row: z.record(z.string(), z.unknown()).optional().describe('Cells of the row that was found'),
    rate: z.number().optional().describe('Rate of the line, of several tiers their mean; absent for amounts'),
    base: z.number().describe('What the rate multiplies, in the currency of the event'),
    credit: z.number().describe('What the line counts towards the quota'),
    raw: z.number().describe('Amount before limits and rounding'),
    amount: z.number().describe('Part of the amount of the event; the parts add up to it'),
  })
  .describe('A line of the deal');

/** How the amount of an event was computed; see Trace in engine/trace.ts. */
export const trace = z
  .object({
    conditions: conditionTraces,
    measure: z.number().describe('Value of the measure on the deal'),
    credit: z.number().describe('What the deal counts towards the quota, in the unit of the measure'),
    before: z.number().describe('Credit of the period before this deal'),
    after: z.number().describe('Credit of the period including this deal'),
    target: z.number().nullable().describe('Target of the quota; null without a quota'),
    attainmentBefore: z.number().describe('Attainment before this deal: 1 is 100 %'),
    attainmentAfter: z.number().describe('Attainment including this deal: 1 is 100 %'),
    tier: z
      .object({
        tierIndex: fields.tierIndex,
        name: z.string().nullable().describe('Name of the tier; null if it has none'),
      })
      .nullable()
      .describe('The tier that was reached; null for none'),
    tierValue: z.number().optional().describe('Value of tierValueField, with tierBy value'),
    rank: z.number().optional().describe('Position among the reps of the plan, with tierBy rank'),
    periodCredit: z
      .number()
      .optional()
      .describe('Credit of the whole period, which decides the tier of a retroactive rule'),
    periodAttainment: z.number().optional().describe('periodCredit over the target, to 6 decimals'),
    belowZero: z
      .literal(true)
      .optional()
      .describe('Attainment went below 0, where the tier that attainment 0 reaches applies'),
    proration: proration.optional(),
    ratePercent: z.number().optional().describe('Percentage of the ramp by which the sum of the parts was multiplied'),
    share: z
      .object({
        credit: z.number().describe('Share of the deal that counts towards the quota'),
        pay: z.number().describe('Share of the base, of fixed amounts and of the limits of the deal'),
      })
      .optional()
      .describe('Shares of the deal, of 1; absent where the whole deal counts'),
    refund: refundTrace.optional(),
    conversions: z
      .array(conversion)
      .optional()
      .describe('What was converted to the currency of the event, by rate; absent if nothing was'),
    formulas: z
      .array(
        z
          .object({
            formula: z.string().describe('The formula as the plan has it'),
            value: z.number().nullable().describe('What it gave on the deal; null without a number'),
            operands: z
              .array(
                z
                  .object({
                    field: z.string().describe('Slug of the field'),
                    value: z.number().nullable().describe('Its number on the deal, after conversion; null without one'),
                  })
                  .describe('A field in the formula'),
              )
              .describe('The fields in the formula'),
          })
          .describe('A formula'),
      )
      .optional()
      .describe('What the formulas of the rule and of its conditions gave; absent without formulas'),
    lookups: z
      .array(
        z
          .object({
            ...lookedUp,
            column: z.string().describe('Column of the table'),
            row: z.record(z.string(), z.unknown()).nullable().describe('Cells of the row; null without a row'),
            kind: z.string().optional().describe('What the value is: rate, amount or perUnit'),
            value: z.number().optional().describe('Value of the row in the column'),
          })
          .describe('A look-up'),
      )
      .optional()
      .describe('What a rule without lines looked up in rate tables; absent without tables'),
    lines: z.array(lineTrace).optional().describe('The lines of the deal; absent in rules without lines'),
    base: z.number().describe('What the rate multiplies, in the currency of the event'),
    parts: z
      .array(
        z
          .object({
            tierIndex: fields.tierIndex,
            rate: z.number().nullable().describe('Share of the part: 0.08 is 8 %; null for a fixed amount'),
            part: z
              .number()
              .describe('The part of the base that this tier pays, negative for a refund; a fixed amount itself'),
            planRate: z
              .number()
              .optional()
              .describe('Rate of the plan for everyone; present if another rate was agreed with the rep'),
          })
          .describe('A part of the base'),
      )
      .describe('The parts of the base, each with the tier that paid it'),
    limits: z
      .array(
        z
          .object({
            kind: z.string().describe('Which limit it is: floor_attainment, floor, cap_multiplier or cap'),
            bound: z
              .number()
              .nullable()
              .describe(
                'The limit as an amount or, for floor_attainment, a ratio; null for a rep without a variable target',
              ),
            before: z.number().describe('Amount before the limit'),
            after: z.number().describe('Amount after the limit'),
          })
          .describe('A cap or a floor'),
      )
      .describe('Caps and floors that changed the amount, in their order'),
    upstream: z
      .array(
        z
          .object({
            repId: fields.repId,
            ruleName: fields.ruleName,
            amount: z.number().describe('Amount that the rep earned from the rule'),
          })
          .describe('Amount of one rep and rule'),
      )
      .optional()
      .describe('Cascade rules: the amounts of the people below that are the base'),
    raw: z.number().describe('Amount before limits and rounding'),
    amount: z.number().describe("Amount of the event, rounded to the currency's decimals"),
    reason: z.string().optional().describe('Why the amount is 0, as a code'),
  })
  .describe('How the amount was computed');

export const commissionEvent = z
  .object({
    eventId: fields.eventId,
    repId: fields.repId,
    repName: fields.repName,
    dealId: fields.dealId.nullable(),
    refundId: z.string().optional().describe('The refund of the deal that takes the amount back'),
    dealName: fields.dealName.nullable(),
    planId: fields.planId.nullable(),
    planName: fields.planName.nullable(),
    ruleId: fields.ruleId.nullable(),
    ruleName: fields.ruleName.nullable(),
    kind: z
      .enum(['commission_earned', 'true_up', 'adjustment', 'clawback'])
      .describe(
        'commission_earned: paid by a rule; true_up: difference to an approved period; adjustment and clawback: entered by a person',
      ),
    category: z.enum(['commission', 'bonus', 'adjustment']).describe('Column of the statement that counts the amount'),
    status: z.enum(['earned', 'reversed']).describe('reversed: the event no longer applies and counts 0'),
    amount: z.number().describe('Amount in `currency`, rounded to its decimals; negative if money is taken back'),
    base: z.number().nullable().describe('What the rate was multiplied with; null for amounts that a person entered'),
    tierName: fields.tierName.nullable(),
    credit: fields.credit,
    currency: fields.currency,
    period: z.string().describe('Period to which the event belongs, 2026-03'),
    earnedOn: z.string().describe('Day on which the amount was earned, YYYY-MM-DD: the close date of the deal'),
    reason: z.string().optional().describe('Why the amount is 0, or why a person entered it'),
    trace: trace.optional().describe('How the amount was computed'),
    dealLines: paidLines,
    updatedAt: fields.updatedAt,
  })
  .describe('What one rep earned from one deal and one rule, or an amount that a person entered');
export type CommissionEvent = z.input<typeof commissionEvent>;

/** A stored event with the names of its rep, deal, plan and rule. */
export interface EventRow {
  readonly eventId: string;
  readonly repId: string;
  readonly repName: string;
  readonly dealKey: string | null;
  readonly dealName: string | null;
  readonly planId: string | null;
  readonly planName: string | null;
  readonly ruleId: string | null;
  readonly ruleName: string | null;
  readonly phase: Phase | null;
  readonly kind: CommissionEvent['kind'];
  readonly category: CommissionEvent['category'];
  readonly status: CommissionEvent['status'];
  readonly amount: string;
  readonly base: string | null;
  readonly tierName: string | null;
  readonly credit: string;
  readonly currency: string;
  readonly period: string;
  readonly earnedOn: Day;
  readonly reason: string | null;
  readonly updatedAt: Date;
  /** Of an event that paid lines; absent where they are not read. */
  readonly lineTrace?: string | null;
}

/** The refund to which the event belongs. */
function refundIdOf(dealKey: string | null): Pick<CommissionEvent, 'refundId'> {
  const refund = dealKey === null ? null : parseRefundKey(dealKey);
  return refund === null ? {} : { refundId: refund.refundId };
}

export function toEventResponse(row: EventRow, explained: Trace | null): CommissionEvent {
  // A periodic event has its period in place of a deal.
  const ofDeal = row.phase !== 'periodic';
  return {
    eventId: row.eventId,
    repId: row.repId,
    repName: row.repName,
    dealId: ofDeal && row.dealKey !== null ? dealOfKey(row.dealKey) : null,
    ...refundIdOf(row.dealKey),
    dealName: ofDeal ? row.dealName : null,
    planId: row.planId,
    planName: row.planName,
    ruleId: row.ruleId,
    ruleName: row.ruleName,
    kind: row.kind,
    category: row.category,
    status: row.status,
    amount: Number(row.amount),
    base: row.base === null ? null : Number(row.base),
    tierName: row.tierName,
    credit: Number(row.credit),
    currency: row.currency,
    period: row.period,
    earnedOn: row.earnedOn,
    ...(row.reason === null ? {} : { reason: row.reason }),
    ...(explained === null ? {} : { trace: explained as z.input<typeof trace> }),
    ...paidLinesOf(row.lineTrace ?? null),
    updatedAt: row.updatedAt.toISOString(),
  };
}
