/** The one-page introduction for agents, served as `commission://guide/concepts`. */
export const concepts = `# How commission is calculated

**Plan and version.** A plan has one planId for life and versions, each with a planVersionId. Assignments, quotas and
simulations take planId; overrides belong to one version. A change of config, dates, currency or field mapping makes a new version,
a change of name or status does not. A new config with a later effectiveStart follows the version before it; any other change
replaces it, for the past too. timeline shows which version pays on which days. Rule ids change with every version, rule names need
not: quotas and overrides follow the rule of the same name.

**Status.** The plan has a status and each version has one; both must be active to pay. draft pays nothing; active pays; archived
pays no more, what was earned stays; deleted is archived and hidden. A new plan is active unless it is created with status draft.

**Warnings.** Creating, changing and simulating a plan return warnings, such as rate_above_one, unknown_value, quota_missing and
restates_open_periods. Nothing is rejected for them, so show every one to the person before you continue.

**Who is paid.** A rep is paid on a deal when all of this holds: the deal has the rep as its owner and a close date, the rep is
assigned to the plan on that day, the plan is active and in force on that day, the plan's dealConditions hold, and the rule's
conditions hold. Call get_commissions with the dealId: it returns the first of these that failed as the reason.

**Periods.** Months are written 2026-03, quarters 2026-Q1, half-years 2026-H1, years 2026; of a fiscal year that an admin has
defined, FY2026-P03, FY2026-Q1, FY2026-H1, FY2026. A rule adds up attainment over its attainmentPeriod (quarterly unless it
says otherwise; with calendar fiscal a fiscal one), and its quotas are set for periods of that kind, one by one.

**Attainment.** Credit of the deals divided by the target of the quota: 1 is 100 %. Without a quota, or with target 0, attainment is 0
and no tier is reached: the rule pays nothing, not even its first tier. The one exception is a flat rate, a rule with exactly one
tier and minThreshold 0, which pays without a quota. Rules with tierBy value or rank never need one.

**Tier modes.** full_rate: a deal pays wholly at the tier that the attainment reaches with it; earlier deals do not change.
marginal: each part of a deal pays at the rate of the band it falls into, as with taxes. retroactive: all deals of the period
pay at the tier of the whole period.

**Cascade rules** pay managers from what the people below them earn; the manager is assigned to the plan too, and reporting
lines are part of the reps. **Periodic rules** pay once a period instead of by deal.

**Money.** Rates are decimals: 0.08 is 8 %. Amounts are in the currency of the workspace, or of the plan or the adjustment
if these have one; amounts in different currencies are never added.

**Calculation** runs automatically, within seconds, whenever deals, plans, quotas, assignments or overrides change.
recalculate_commissions only makes sure of it. Results are the same however often it runs.

**Statements** freeze what a rep earned in a period. While one is approved nothing in it changes: calculations report
statement_locked and leave it. Generating, approving, unlocking and adjusting statements is up to people and not possible here.

**The usual way** from words to pay: get_workspace, list_plan_templates, list_fields and get_field_options, simulate_commissions
with the config and a repId, create_plan with status draft, simulate again with its planId once reps are assigned and quotas
set, a person agrees, set_plan_status active, get_commissions.
`;
