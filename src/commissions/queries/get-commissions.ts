import { z } from 'zod';
import { dealId } from '../../deals/deal.js';
import { pageOfTeam, teamPageQuery } from '../../earnings/team-page-query.js';
import { type Caller } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { currentDay, dayInZone } from '../../kernel/day.js';
import { toPeriod } from '../../kernel/period.js';
import { loadWorkspaceTerms } from '../../ledger/input/rep-terms.js';
import { filteredPeopleQuery, filteredReps, unfilteredPeople } from '../../people/reps/filtered-people.js';
import { assertSeesRepOrTeam, repIdQuery } from '../../people/reps/rep.js';
import { type Transaction, UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { effects } from '../../platform/mcp/tool.js';
import { type Input, operation } from '../../platform/operations/operation.js';
import { asOfQuery, optionalPeriod, wholeNumber } from '../../platform/operations/schemas.js';
import { statusText } from '../../statements/payslip-words.js';
import {
  dealAsOf,
  readDealAsOf,
  readRepAsOf,
  readTeamAsOf,
  repAsOf,
  requireInstant,
  teamAsOf,
} from '../commission-as-of.js';
import { readRepDashboard, repDashboard } from '../dashboards/rep-dashboard.js';
import { readTeamOverview, teamOverview, teamOverviewExample } from '../dashboards/team-overview.js';
import { dealBreakdown, readDealBreakdown } from '../deal-breakdown.js';
import { DealExplainer } from '../deal-explainer.js';
import { sumWords } from '../sum-words.js';

const include = z
  .literal('all')
  .optional()
  .describe('all: also people without a plan, a quota or an amount in the period');

const query = z.strictObject({
  repId: repIdQuery.optional().describe('The dashboard of this rep, by id (UUID); reps may see only themselves'),
  dealId: dealId.optional().describe('The breakdown of this deal, by its id in the CRM'),
  period: optionalPeriod,
  include,
  closedDealsOffset: wholeNumber(0, 1_000_000_000)
    .default(0)
    .describe('With repId: number of closed deals to skip; the dashboard has 100 of them'),
  asOf: asOfQuery,
  ...filteredPeopleQuery,
  ...teamPageQuery,
});
type Query = z.infer<typeof query>;

async function readAsOf(tx: Transaction, caller: Caller, requested: Query) {
  const { dealId: deal, repId, period, include: who } = requested;
  const workspace = await loadWorkspaceTerms(tx);
  if (deal !== undefined) return readDealAsOf(tx, caller, deal, workspace);
  const today = dayInZone(requireInstant(tx), workspace.timeZone);
  const ofPeriod = period ?? toPeriod(today, 'monthly');
  if (repId !== undefined) return readRepAsOf(tx, repId, ofPeriod, workspace.currency);
  const selection = {
    repIds: await filteredReps(tx, caller, today, requested),
    everyone: who === 'all',
    page: pageOfTeam(requested),
  };
  return readTeamAsOf(tx, ofPeriod, { workspace, today }, selection);
}

const declared = {
  method: 'get',
  access: 'connection',
  query,
  // A team without reps matches both schemas of teams, so the one with more fields is first.
  response: z.union([teamAsOf, teamOverview, repDashboard, dealBreakdown, repAsOf, dealAsOf]),
  failures: { plan_too_complex: 400, rep_not_found: 404, deal_not_found: 404 },
  cacheScope: ({ query }: Input<unknown, Query>) => (query.dealId === undefined ? (query.repId ?? null) : null),
  uses: { unitOfWork: UnitOfWork, clock: CLOCK, explainer: DealExplainer },
  /** If both ids are given, dealId applies. */
  async execute(
    { query: requested }: Input<unknown, Query>,
    caller: Caller,
    { unitOfWork, clock, explainer }: { unitOfWork: UnitOfWork; clock: Clock; explainer: DealExplainer },
  ) {
    // Access to a deal is checked after it is read, because it depends on the owner.
    if (requested.dealId === undefined)
      assertSeesRepOrTeam(
        caller,
        requested.repId,
        'The team overview needs the role manager or admin. Give your own repId for your dashboard.',
      );
    const { asOf } = requested;
    if (asOf !== undefined)
      return unitOfWork.run(caller, { lock: 'none', access: 'read', replica: true, asOf }, (tx) =>
        readAsOf(tx, caller, requested),
      );
    const { dealId: deal } = requested;
    if (deal !== undefined)
      return explainer.run(caller, { lock: 'none', access: 'read', replica: true }, async (tx, explain) => {
        const workspace = await loadWorkspaceTerms(tx);
        const today = currentDay(workspace, clock.now());
        return readDealBreakdown(tx, caller, deal, workspace, today, explain);
      });
    return unitOfWork.run(caller, { lock: 'none', access: 'read', replica: true }, async (tx) => {
      const workspace = await loadWorkspaceTerms(tx);
      const today = currentDay(workspace, clock.now());
      const ofPeriod = requested.period ?? toPeriod(today, 'monthly');
      if (requested.repId !== undefined)
        return readRepDashboard(tx, requested.repId, ofPeriod, workspace, today, requested.closedDealsOffset);
      return readTeamOverview(
        tx,
        ofPeriod,
        { workspace, today },
        {
          repIds: await filteredReps(tx, caller, today, requested),
          everyone: requested.include === 'all',
          page: pageOfTeam(requested),
        },
      );
    });
  },
} as const;

/** What the deal paid, what of it came after an approval, and what is owed. */
function dealSummary(breakdown: z.output<typeof dealBreakdown>): string {
  const { corrections, openDifferences, outcomes, refunds = [] } = breakdown;
  const corrected = corrections.map(({ delta, currency: code, repName, period, paidIn }) =>
    paidIn === period
      ? `${delta} ${code} to ${repName} by a true-up of ${period}`
      : `${delta} ${code} to ${repName} in ${paidIn}, carried forward from ${period}`,
  );
  const owed = openDifferences
    .filter(({ status }) => status === 'open')
    .map(({ delta, currency: code, repName, period }) => `${delta} ${code} to ${repName} for ${period}`);
  const refunded = refunds.map(({ refundId, amount, day, warnings }) => {
    const isKept = warnings.some(({ code }) => code === 'refund_without_policy');
    return `${refundId} of ${amount ?? 'all that is left'} on ${day}${isKept ? ', which takes nothing back, because no rule that paid the deal has a clawback policy' : ''}`;
  });
  return [
    `The deal pays ${dealSums(breakdown)} in total; rules evaluated: ${outcomes.length}.`,
    ...(corrected.length === 0 ? [] : [`Of this after an approval: ${corrected.join(', ')}.`]),
    ...(refunded.length === 0 ? [] : [`Refunds: ${refunded.join('; ')}.`]),
    ...(owed.length === 0 ? [] : [`Not paid yet: ${owed.join(', ')}.`]),
  ].join(' ');
}

function dealSums({ total, currency, otherCurrencies }: z.output<typeof dealAsOf | typeof dealBreakdown>): string {
  return sumWords([{ total, currency }, ...otherCurrencies]);
}

type Earned = Pick<z.output<typeof repDashboard>, 'currency' | 'earnings' | 'otherCurrencies'>;

function earnedSums({ currency, earnings, otherCurrencies }: Earned): string {
  return sumWords([{ currency, earnings }, ...otherCurrencies].map((sum) => ({ ...sum, total: sum.earnings.total })));
}

/** With payouts, what the statement pays comes before what is earned. */
function describePaid({
  payslip,
  period,
}: {
  readonly payslip?: z.output<typeof repDashboard>['payslip'];
  readonly period: string;
}): string {
  if (payslip === undefined) return '';
  const pays = payslip.pays.map(
    ({ currency, amount }) => `${amount ?? 'an amount without an exchange rate'} ${currency}`,
  );
  return `The statement of ${period} pays ${pays.join(' and ')} (${statusText(payslip)}). `;
}

export const getCommissions = operation({
  ...declared,
  id: 'getCommissions',
  summary: "The team's commission, one rep's dashboard, or one deal with how its commission was computed",
  path: '/v1/commissions',
  tool: {
    name: 'get_commissions',
    title: 'Get commissions',
    hints: effects.reads,
    description: {
      purpose:
        "What has been earned: the team in a period, one rep's dashboard, or one deal with the trace of every amount and the reason for every 0.",
      useWhen: 'a person asks who earned what, or why.',
      notFor: 'other terms (simulate_commissions).',
      formats:
        'nothing or period: the team (manager or admin). repId: that rep. dealId: that deal, whatever the period. period 2026-03, 2026-Q1, 2026 or FY2026-Q1; the current month when left out. Other currencies are in otherCurrencies, never added; converted has all at shown rates.',
      changes: 'nothing.',
    },
    arguments: {
      repId: 'The rep',
      dealId: 'The deal',
      period: 'Such as 2026-Q1',
      include: 'all: also people without a plan, a quota or an amount in the period',
      closedDealsOffset: { always: '0' },
      asOf: 'Earlier instant',
      ...unfilteredPeople,
      status: { always: undefined },
    },
    listsWithin: ['reps', 'closedDeals', 'events'],
    summary: (result) => {
      if ('deal' in result) return dealSummary(result);
      if ('dealId' in result) return `The deal paid ${dealSums(result)} in total at that instant.`;
      if ('totals' in result)
        return `The team earned ${earnedSums({ ...result, earnings: result.totals })} in ${result.period}.`;
      return `${describePaid(result)}The rep earned ${earnedSums(result)} in ${result.period}.`;
    },
  },
  example: { query: { period: '2026-02' }, response: teamOverviewExample },
});

export const getCommissionsDashboard = operation({
  ...declared,
  id: 'getCommissionsDashboard',
  summary: 'The same as GET /v1/commissions',
  path: '/v1/commissions/dashboard',
  example: { query: { period: '2026-02' }, response: teamOverviewExample },
});
