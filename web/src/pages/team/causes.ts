import { type Discrepancy } from '../../api/team-queries.js';
import { formatPeriod } from '../../shared/format/periods.js';

type Cause = Discrepancy['causes'][number];

const words: Readonly<Record<string, string>> = {
  deal_change: 'A deal changed',
  deal_deletion: 'Deals were deleted',
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
  statement_approved: 'The period was approved',
};

/** Ends the words of a cause that belongs to an earlier period. */
const ofUndecided = /, of (\S+), which is not decided$/;

/** What happened, and the id of the deal to which it happened; null for none or several. */
export function describeCause({ kind, what }: Pick<Cause, 'kind' | 'what'>): {
  readonly text: string;
  readonly dealId: string | null;
} {
  const period = ofUndecided.exec(what)?.[1];
  const dealId = /^Deal (.+)$/s.exec(what.replace(ofUndecided, ''))?.[1] ?? null;
  const text = words[kind] ?? what;
  return { text: period === undefined ? text : `${text}, of ${formatPeriod(period)}, which is not decided`, dealId };
}
