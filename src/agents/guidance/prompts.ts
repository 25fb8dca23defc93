import { type Prompt } from '../../platform/mcp/guidance.js';

const designPlan: Prompt = {
  name: 'design_plan',
  title: 'Design a plan',
  description: 'From a description of pay in words to a simulated draft',
  access: 'admin',
  arguments: [
    { name: 'description', description: 'How people are to be paid, in plain words', required: true },
    { name: 'period', description: 'Period to simulate, such as 2026-Q1', required: false },
  ],
  text: ({ description, period }) => `Design a commission plan for this description:

<description>
${description}
</description>

1. Read commission://guide/concepts and call get_workspace.
2. Summarize the description in one paragraph, with rates, thresholds, period and who is paid. Ask about everything it leaves open; do not guess about money.
3. Take the nearest of list_plan_templates. Check with list_fields, get_field_options and a few deals of list_deals that every field and value in its conditions exists here.
4. Try the config with simulate_commissions for ${period ?? 'the last full quarter'} and one or two reps before anything is created. Show a table of deals with amount, tier and commission, and check two lines by hand.
5. When the person agrees: create_plan with status draft, create_assignments, and set_quota for every period that rules with tiers by attainment need. Simulate the draft by its planVersionId.
6. Activate it with set_plan_status only after the person has said yes to those figures.`,
};

const explainCommission: Prompt = {
  name: 'explain_commission',
  title: 'Explain a commission',
  description: 'Why a deal paid what it paid, or a rep earned what they earned, in plain words',
  access: 'rep',
  arguments: [
    { name: 'repId', description: 'The rep', required: false },
    { name: 'dealId', description: 'The deal, by the id of the CRM', required: false },
    { name: 'period', description: 'The period, such as 2026-03', required: false },
  ],
  text: ({ repId, dealId, period }) => `Explain commission to the person it belongs to, in plain words.

About: ${
    [dealId && `deal ${dealId}`, repId && `rep ${repId}`, period && `period ${period}`].filter(Boolean).join(', ') ||
    'ask which rep, deal or period is meant'
  }.

1. Call get_commissions with ${dealId ? 'the dealId' : 'the repId and period; pick the deals in question and call it again with each dealId'}.
2. For every event say which rule paid, on what base, attainment before and after, which tier or bands at which rate, and what a cap or floor took or gave. Do the arithmetic in one line that ends in the amount shown.
3. Where nothing was paid give the reason in words, and what would have to change. Look at list_quotas for quota_missing and at list_assignments for no_assignment.
4. Use only figures from the answers. If they do not add up, say so and leave it to an admin.`,
};

const closePeriod: Prompt = {
  name: 'close_period',
  title: 'Close a period',
  description: 'A checklist before statements are generated and approved by people',
  access: 'admin',
  arguments: [{ name: 'period', description: 'The period that ends, such as 2026-03', required: true }],
  text: ({
    period,
  }) => `Check whether ${period} is ready to be closed. Only read: call no tool that changes anything, and recalculate nothing.

1. list_exceptions for each month of ${period}: deals that paid nothing, by reason, with what to do. get_commissions with a dealId explains one.
2. list_plans with status draft: drafts that should have been active in ${period}.
3. list_assignments and list_quotas: people on plans with tiers by attainment who lack a quota for the period of the rule.
4. list_audit_logs with outcome failed,statement_locked and from: what has happened since the period began.
5. get_commissions for ${period} and for the months before: name everyone whose figures differ greatly.
6. commission://statements/${period}: who has a statement, draft or approved.

End with a table of what is missing, who should decide it, and a plain yes or no. Generating and approving statements is up to a person.`,
};

const comparePlanVersions: Prompt = {
  name: 'compare_plan_versions',
  title: 'Compare plan versions',
  description: 'What changed between two versions of a plan, and what it costs',
  access: 'rep',
  arguments: [
    { name: 'planId', description: 'The plan', required: true },
    { name: 'period', description: 'Period to compare on, such as 2026-Q1', required: false },
  ],
  text: ({ planId, period }) => `Compare the two newest versions of plan ${planId}.

1. get_plan_history with detail full. List what differs rule by rule and tier by tier; leave out what is the same.
2. simulate_commissions once with the planVersionId of each for ${period ?? 'the last full quarter'}, for the same reps.
3. Show a table: rep, old, new, difference; then the totals. Explain the largest difference with the deals behind it.
4. Say which version is in force, and that nothing was changed by this comparison.`,
};

export const prompts: readonly Prompt[] = [designPlan, explainCommission, closePeriod, comparePlanVersions];
