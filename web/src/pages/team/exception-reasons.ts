import { type ExceptionGroup } from '../../api/team-queries.js';

/** Why deals were not paid, in few words. */
export const exceptionReasons: Readonly<Record<ExceptionGroup['reason'], string>> = {
  owner_unresolved: 'No owner',
  no_close_date: 'No close date',
  no_assignment: 'No plan assigned',
  plan_not_active: 'Plan not active',
  outside_effective_dates: 'Outside the dates of the plan',
  statement_locked: 'Statement approved already',
  quota_missing: 'Quota missing',
  variable_target_missing: 'Variable target missing',
  currency_mismatch: 'Currency differs from the plan',
  value_out_of_range: 'Number too large',
  field_missing: 'Field missing',
  amount_out_of_range: 'Amount too large',
  deal_condition_failed: 'Conditions of the plan not met',
  rule_condition_failed: 'Conditions of the rule not met',
  below_lowest_tier: 'Below the lowest tier',
  below_floor_attainment: 'Below the floor',
  cap_exhausted: 'Cap reached',
};
