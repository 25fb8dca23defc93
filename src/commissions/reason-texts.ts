// `import type` is removed by the compiler: the web app and the command line load this file.
import type { Reason } from '../engine/trace.js';
import type { ExceptionReason } from './exceptions.js';

interface ReasonText {
  /** A few words, for lists and documents. */
  readonly label: string;
  /** A sentence to the person who is not paid. */
  readonly toRep: string;
}

interface ExceptionText extends ReasonText {
  /** What it means, and what resolves it. */
  readonly toAdmin: string;
}

type ReasonTexts = Readonly<
  Record<ExceptionReason, ExceptionText> & Record<Exclude<Reason, ExceptionReason>, ReasonText>
>;

/** These texts explain to people why nothing was paid. */
export const reasonTexts: ReasonTexts = {
  quota_missing: {
    label: 'Quota missing',
    toRep: 'You have no quota for this period.',
    toAdmin: 'The rule needs a quota that is not set. Set the quota.',
  },
  below_lowest_tier: {
    label: 'Below the lowest tier',
    toRep: 'It is below the lowest tier of the rule.',
    toAdmin: 'It is below the lowest tier of the rule, and no other rule paid the rep.',
  },
  below_floor_attainment: {
    label: 'Below the floor',
    toRep: 'Your attainment is below the threshold of the rule.',
    toAdmin: 'Attainment is below the floor of the rule, and no other rule paid the rep.',
  },
  cap_exhausted: {
    label: 'Cap reached',
    toRep: 'Earlier deals have used up the cap.',
    toAdmin: 'Earlier deals have used up the cap, and no other rule paid the rep.',
  },
  amount_out_of_range: {
    label: 'Amount too large',
    toRep: 'The amount is too large to pay.',
    toAdmin: 'The amount to pay is too large. Check the rates of the rule and the numbers of the deal.',
  },
  no_assignment: {
    label: 'No plan assigned',
    toRep: 'You were on no plan on the close date.',
    toAdmin: 'The rep is on no plan. Assign one.',
  },
  outside_effective_dates: {
    label: 'Outside the dates of the plan',
    toRep: 'The close date is outside the dates of the plan or of your assignment.',
    toAdmin: 'The close date is outside the dates of the plan or of the assignment. Change the dates.',
  },
  outside_rule_dates: {
    label: 'Outside the dates of the rule',
    toRep: 'The close date is outside the dates of the rule.',
    toAdmin: 'The close date is outside the dates of the rule. Change effectiveStart or effectiveEnd of the rule.',
  },
  no_fiscal_period: {
    label: 'In no fiscal year',
    toRep: 'The close date lies in no fiscal year.',
    toAdmin: 'The close date lies in no fiscal year. Define the year.',
  },
  plan_not_active: {
    label: 'Plan not active',
    toRep: 'The plan is not active.',
    toAdmin: 'The plan of the rep is not active. Activate it, or assign another plan.',
  },
  currency_mismatch: {
    label: 'Currency differs from the plan',
    toRep: 'The deal has another currency than the plan.',
    toAdmin: 'The deal has another currency than the plan. Correct the deal, or use a plan in that currency.',
  },
  no_lines: {
    label: 'No lines',
    toRep: 'The deal lists no products, which the rule pays.',
    toAdmin: 'The rule pays the lines of deals, and the deal has none. Add its lines.',
  },
  lines_differ: {
    label: 'Lines differ from the deal',
    toRep: 'The products do not add up to the amount of the deal.',
    toAdmin:
      'The lines do not add up to the amount of the deal. Rules with lines pay on the lines, other rules on the deal. Correct the lines or the amount, or accept it.',
  },
  line_field_missing: {
    label: 'Field of a line missing',
    toRep: 'A product of the deal lacks a number that the rule reads.',
    toAdmin:
      'A line of the deal lacks a number that the rule reads, or has one that is too large, and pays nothing; the other lines pay. Complete the line.',
  },
  no_line: {
    label: 'No matching line',
    toRep: 'The rule pays none of the products of the deal.',
  },
  line_condition_failed: {
    label: 'Line not covered',
    toRep: 'The rule does not pay this product.',
  },
  rate_not_found: {
    label: 'No rate found',
    toRep: 'The rate table has no rate for this combination.',
    toAdmin: 'No row of the rate table matches the values that were looked up. Add a row.',
  },
  fx_rate_missing: {
    label: 'No exchange rate',
    toRep: 'There is no exchange rate for the currency of the deal yet.',
    toAdmin:
      "There is no exchange rate from the currency of the deal to the plan's on the day that the plan names, or only older ones than the workspace allows. Enter the rate: the deal then pays by itself.",
  },
  deal_condition_failed: {
    label: 'Conditions of the plan not met',
    toRep: 'The deal does not meet the conditions of the plan.',
    toAdmin: 'The deal does not meet the conditions of the plan, and no other rule paid the rep.',
  },
  rule_condition_failed: {
    label: 'Conditions of the rule not met',
    toRep: 'The deal does not meet the conditions of the rule.',
    toAdmin: 'The deal does not meet the conditions of the rule, and no other rule paid the rep.',
  },
  field_missing: {
    label: 'Field missing',
    toRep: 'The deal lacks a field that the rule reads.',
    toAdmin: 'The deal lacks a field that the rule reads. Fill the field, or correct the plan or the field mapping.',
  },
  value_out_of_range: {
    label: 'Number too large',
    toRep: 'A number of the deal is too large to pay on.',
    toAdmin: 'A number of the deal is too large to pay on. Correct the field in the CRM.',
  },
  variable_target_missing: {
    label: 'Variable target missing',
    toRep: 'You have no variable target for this period.',
    toAdmin: 'The rule pays a part of the variable target, which is not set. Set it with the quota.',
  },
  no_downstream_commission: {
    label: 'Nothing earned below',
    toRep: 'The people below you earned nothing on this deal.',
  },
  refund_without_policy: {
    label: 'Refund takes nothing back',
    toRep: 'The deal was refunded, and the plan takes nothing back.',
    toAdmin:
      'The deal was refunded in the period, and no rule that paid it has a clawback policy. Add a policy to the plan, enter an adjustment, or accept it.',
  },
  refund_line_missing: {
    label: 'Refunded line missing',
    toRep: 'A refund names a product that the deal does not have.',
    toAdmin:
      'A refund names a line that the deal does not have, or whose amount is not positive, and takes nothing back for it. Correct the refund or the lines.',
  },
  split_rules_exceed_100: {
    label: 'Credit rules exceed the deal',
    toRep: 'Credit rules give more than the whole deal.',
    toAdmin:
      'Credit rules give more than 100 % of the deal; the last ones in the order of their names got less. Change the rules.',
  },
  no_credit: {
    label: 'No credit',
    toRep: 'None of your credit lines on the deal counts for this rule.',
  },
  quota_credit_only: {
    label: 'Counts for the quota only',
    toRep: 'Your credit on the deal counts towards your quota and pays nothing.',
  },
  period_not_ended: {
    label: 'Period not ended',
    toRep: 'The period has not ended yet.',
  },
  statement_locked: {
    label: 'Statement approved already',
    toRep: 'The statement of the period is approved.',
    toAdmin: 'The statement of the period is approved. Unlock it, or pay the difference with a true-up.',
  },
  no_close_date: {
    label: 'No close date',
    toRep: 'The deal has no close date.',
    toAdmin: 'The deal has no close date and belongs to no period; it is listed in every period. Set the date.',
  },
  owner_unresolved: {
    label: 'No owner',
    toRep: 'The deal has no owner among the people here.',
    toAdmin: 'The deal has no owner among the reps. Add the rep, or set the CRM member id or the e-mail.',
  },
  deal_deleted: {
    label: 'Deal deleted',
    toRep: 'The deal was deleted in the CRM.',
  },
  refund_limited: {
    label: 'Refund limited',
    toRep: 'Earlier refunds left less of the deal than this refund.',
  },
  no_clawback_policy: {
    label: 'No clawback',
    toRep: 'The plan takes nothing back for this refund.',
  },
  outside_clawback_window: {
    label: 'After the clawback window',
    toRep: 'The refund came after the days in which the plan takes something back.',
  },
};
