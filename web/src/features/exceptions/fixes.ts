import { type ExceptionGroup } from '../../api/team-queries.js';
import { type EditedInput, inputOf } from '../deals/edited-deal.js';

type Reason = ExceptionGroup['reason'];
type UnpaidDeal = Pick<
  ExceptionGroup['deals'][number],
  'closeDate' | 'currency' | 'dealId' | 'missing' | 'repId' | 'rules'
>;

/** Where a reason is removed, and what the page opens there. */
export interface Fix {
  readonly label: string;
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
}

interface Place {
  readonly period: string;
  /** The currency of the workspace. */
  readonly currency: string;
}

type FindFix = (deal: UnpaidDeal, place: Place) => Fix;

/** The form of the deal with the focus on one of its inputs. */
function editDeal(label: string, { dealId }: UnpaidDeal, edit: EditedInput): Fix {
  return { label, to: `/deals/${encodeURIComponent(dealId)}`, search: { edit } };
}

/** The rule in the form of its plan. */
const editRule: FindFix = ({ rules: [rule] }) =>
  rule?.planId == null
    ? { label: 'Open plans', to: '/plans' }
    : {
        label: 'Edit rule',
        to: `/plans/${rule.planId}/edit`,
        ...(rule.ruleName === null ? {} : { search: { rule: rule.ruleName } }),
      };

/** The cell of the person and the day, in the quotas of the rule. */
const setQuota: FindFix = ({ repId, closeDate, rules: [rule] }) => ({
  label: 'Set quota',
  to: '/quotas',
  search: defined({ ruleId: rule?.ruleId, person: repId, day: closeDate, year: closeDate?.slice(0, 4) }),
});

const openDeal =
  (label: string): FindFix =>
  ({ dealId }) => ({ label, to: `/deals/${encodeURIComponent(dealId)}` });

const editField =
  (label: string): FindFix =>
  (deal) =>
    editDeal(label, deal, inputOf(deal.missing[0] ?? 'amount'));

const fixes: Readonly<Record<Reason, FindFix>> = {
  owner_unresolved: (deal) => editDeal('Choose person', deal, 'repId'),
  no_close_date: (deal) => editDeal('Set date', deal, 'closeDate'),
  no_assignment: ({ repId }) => ({ label: 'Assign', to: '/assignments', search: defined({ assign: repId }) }),
  plan_not_active: ({ rules: [rule] }) =>
    rule?.planId == null
      ? { label: 'Open plans', to: '/plans' }
      : { label: 'Activate plan', to: `/plans/${rule.planId}/edit` },
  outside_effective_dates: ({ repId, rules: [rule] }) => ({
    label: 'Change dates',
    to: '/assignments',
    search: defined({ assign: repId, plan: rule?.planId }),
  }),
  outside_rule_dates: editRule,
  no_fiscal_period: () => ({ label: 'Define year', to: '/fiscal-calendar' }),
  statement_locked: ({ repId }, { period }) => ({
    label: 'Open statement',
    to: repId === null ? '/approvals' : `/statements/${repId}`,
    search: { period },
  }),
  quota_missing: setQuota,
  variable_target_missing: setQuota,
  currency_mismatch: (deal) => editDeal('Correct currency', deal, 'currency'),
  fx_rate_missing: ({ currency: from, closeDate }, { currency: to }) => ({
    label: 'Enter rate',
    to: '/fx-rates',
    search: { enter: [from ?? '', to, closeDate ?? ''].join(' ').trim() },
  }),
  value_out_of_range: editField('Correct value'),
  field_missing: editField('Fill in'),
  no_lines: openDeal('Open deal'),
  lines_differ: openDeal('Open deal'),
  line_field_missing: openDeal('Open deal'),
  rate_not_found: editRule,
  amount_out_of_range: editRule,
  deal_condition_failed: editRule,
  rule_condition_failed: editRule,
  below_lowest_tier: editRule,
  below_floor_attainment: editRule,
  cap_exhausted: editRule,
  split_rules_exceed_100: () => ({ label: 'Edit credit rules', to: '/credit-rules' }),
  refund_without_policy: openDeal('Open refund'),
  refund_line_missing: openDeal('Open refund'),
};

/** Where the reason is removed for one deal. */
export function fixOf(reason: Reason, deal: UnpaidDeal, place: Place): Fix {
  return fixes[reason](deal, place);
}

/** Where the reason is removed for all of its deals; for the first of them if there is no such page. */
export function fixOfGroup(
  { reason, deals }: Pick<ExceptionGroup, 'reason'> & { readonly deals: readonly UnpaidDeal[] },
  place: Place,
): Fix {
  const [first] = deals;
  const people = [...new Set(deals.flatMap(({ repId }) => repId ?? []))];
  if (reason === 'owner_unresolved') return { label: 'Match owners', to: '/owners' };
  if (reason === 'no_assignment') return { label: 'Assign', to: '/assignments', search: { assign: people.join(',') } };
  if (reason === 'field_missing' && first?.missing[0] !== undefined)
    return { label: 'Map fields', to: '/fields', search: { name: first.missing[0] } };
  return first === undefined
    ? { label: 'All deals', to: '/exceptions', search: { reason } }
    : fixOf(reason, first, place);
}

function defined(search: Readonly<Record<string, string | null | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(search).filter((entry): entry is [string, string] => entry[1] != null));
}
