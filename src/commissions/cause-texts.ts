// `import type` is removed by the compiler: the web app loads this file.
import type { Trigger } from '../ledger/requests/calculation-requests.js';

/** What changes amounts without a calculation, or their comparison. */
type OtherCause = 'adjustment_added' | 'adjustment_deleted' | 'carried_forward' | 'statement_approved';

/** Why amounts were calculated again, in words. What only recalculates has no words. */
export const causeTexts: Readonly<Partial<Record<Trigger, string>>> & Readonly<Record<OtherCause, string>> = {
  deal_change: 'A deal changed',
  deal_deletion: 'Deals were deleted',
  credits: 'The credits of a deal changed',
  lines: 'The lines of a deal changed',
  import: 'Deals were imported',
  sync: 'Deals of the CRM changed',
  plan_change: 'A plan changed',
  assignment_change: 'The assignments of plans changed',
  quota_change: 'Quotas changed',
  hierarchy_change: 'Reporting lines changed',
  rep_change: 'The person changed',
  absence: 'An absence changed',
  ramp: 'A ramp changed',
  fx_rate: 'An exchange rate changed',
  rate_table: 'A rate table changed',
  person: 'A dated field of the person changed',
  refund: 'A refund was entered or changed',
  calendar: 'The fiscal calendar changed',
  mapping_change: 'The mapping of fields changed',
  workspace_change: 'The currency or time zone of the workspace changed',
  cascade: 'Amounts of people below changed',
  rank: 'The credit of other people of the plan, which decides the rank, changed',
  periodic: 'A period ended',
  true_up: 'The period was corrected',
  statement_unlock: 'Another period was opened again',
  adjustment_added: 'An adjustment was added',
  adjustment_deleted: 'An adjustment was deleted',
  carried_forward: 'A difference of an approved period was carried forward',
  statement_approved: 'The period was approved',
};
