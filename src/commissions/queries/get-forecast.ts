import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { listTeam } from '../../earnings/commission-views.js';
import { type Caller, visibleReps } from '../../kernel/caller.js';
import { currentDay, type Day, type DayRange, overlap } from '../../kernel/day.js';
import { Decimal } from '../../kernel/decimal.js';
import { invalid } from '../../kernel/failure.js';
import { groupBy } from '../../kernel/group-by.js';
import { type Period, toPeriod } from '../../kernel/period.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { inParallel } from '../../kernel/waiting.js';
import {
  assignedDays,
  calendarOf,
  loadWorkspaceTerms,
  payingVersions,
  type RepTerms,
} from '../../ledger/input/rep-terms.js';
import { type PayPeriods } from '../../pay/payables/pay-periods.js';
import { loadPayPeriods } from '../../pay/payables/payout-settings.js';
import { assertSeesRepOrTeam, repIdQuery } from '../../people/reps/rep.js';
import { requireRepName } from '../../people/reps/rep-views.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { effects } from '../../platform/mcp/tool.js';
import { operation } from '../../platform/operations/operation.js';
import { optionalPeriod, wholeNumber } from '../../platform/operations/schemas.js';
import {
  type ForecastScope,
  forecastRep,
  forecastStamp,
  type RepForecast,
  seedQuery,
} from '../forecast/forecast-rep.js';
import { type ForecastedAmounts, type ForecastResult } from '../forecast/forecast-task.js';
import { forecastedAmount, releaseForecast } from '../forecast/forecasted-releases.js';
import { Forecaster } from '../forecast/forecaster.js';
import { loadStageHistory, type OpenDeal } from '../forecast/open-deals.js';
import { loadPaces, pace } from '../forecast/pace.js';

const query = z.strictObject({
  repId: repIdQuery
    .optional()
    .describe('The forecast of this person, by id (UUID); reps may see only themselves. The team by default'),
  period: optionalPeriod,
  seed: seedQuery,
  goal: wholeNumber(1, 999_999_999_999)
    .optional()
    .describe('With repId: the pay to reach in the period, in `currency`'),
});
type Query = z.infer<typeof query>;

const sure = z.number().describe('Pay of the period if no open deal is won, adjustments included');
const expected = z.number().describe('Expected pay of the period');
const amounts = {
  sure,
  expected,
  p10: z.number().describe('10th percentile: with a probability of 90 %, the pay is at least as much'),
  p90: z.number().describe('90th percentile: with a probability of 90 %, the pay is at most as much'),
};
const otherCurrencies = z
  .array(z.object({ currency: fields.currency, ...amounts }).describe('The forecast in one currency'))
  .describe('The forecast in other currencies; they are never added');
const worth = z
  .number()
  .nullable()
  .describe(
    'Expected pay if the deal is won less that if it is lost; null without a probability, and if the draws have only one of both',
  );

const forecastDeal = z
  .object({
    dealId: fields.dealId,
    name: fields.dealName.nullable(),
    amount: z.number().nullable().describe('Amount of the deal in its currency; null if it has none'),
    currency: z.string().nullable().describe('Currency of the amount, ISO 4217 code; null if the deal has none'),
    stage: fields.stage.nullable(),
    stageLabel: z.string().nullable().describe('Name of the stage for people; null if the deal has none'),
    closeDate: fields.closeDate,
    probability: z
      .object({
        value: z.number().describe('Probability of winning the deal, where 1 is 100 %'),
        source: z
          .enum(['deal', 'stage'])
          .describe('deal: a field of the deal; stage: the closed deals of the workspace that have been in the stage'),
        field: z.string().optional().describe('Slug of the field of the deal'),
        won: z.int().optional().describe('Closed deals that have been in the stage and were won'),
        closed: z.int().optional().describe('Closed deals that have been in the stage, at least 10'),
      })
      .nullable()
      .describe(
        'Null if neither a field of the deal nor its stage states one: the forecast then counts the deal as lost',
      ),
    worth,
    otherCurrencies: z
      .array(z.object({ currency: fields.currency, worth }).describe('What the deal is worth in one currency'))
      .optional()
      .describe('What the deal is worth in other currencies; absent if nothing is paid in them'),
  })
  .describe('An open deal that closes in the period');

const goal = z
  .object({
    amount: z.number().describe('The pay to reach, in `currency`'),
    reached: z.boolean().describe('Whether open deals of the period reach it'),
    dealIds: z
      .array(z.string())
      .describe('The fewest deals that reach it, and of as many the smallest; all that may be won if they do not'),
    pay: z.number().describe('Pay of the period if exactly these deals are won'),
    missing: z.number().describe('What is missing to the goal; 0 if it is reached'),
    exact: z
      .boolean()
      .describe('Whether all sets of open deals were compared: of more than 12 deals, those that pay most are'),
  })
  .describe('What reaches the goal');

const personForecast = z
  .object({
    repId: fields.repId,
    name: z.string().describe('Name of the person'),
    period: fields.period,
    currency: z
      .string()
      .describe('Currency of the amounts, ISO 4217 code: that of the workspace if something is paid in it'),
    ...amounts,
    otherCurrencies,
    method: z
      .enum(['all_outcomes', 'draws'])
      .describe('all_outcomes: each outcome of up to 12 open deals; draws: 4,096 drawn outcomes'),
    deals: z.array(forecastDeal).describe('Open deals that close in the period, the first of them first'),
    plans: z
      .array(
        z
          .object({ planId: fields.planId, planVersionId: fields.planVersionId, version: fields.version })
          .describe('A plan version that is in force in the period'),
      )
      .describe('The plan versions with which the pay was calculated'),
    byPayPeriod: z
      .array(
        z
          .object({
            period: z
              .string()
              .nullable()
              .describe('The pay period; null for what waits for a day that is not known yet'),
            ...forecastedAmount,
          })
          .describe('What one pay period releases of the pay, in one currency'),
      )
      .optional()
      .describe(
        'The same pay by the pay period that releases it, without balances and draws: the sums are `sure` and `expected`. Absent without payouts',
      ),
    paces: z.array(pace).describe('The pace of every quota that touches the period'),
    goal: goal.optional(),
    ...forecastStamp,
  })
  .describe('What a person will probably be paid for a period');

const teamForecast = z
  .object({
    period: fields.period,
    currency: fields.currency,
    sure,
    expected,
    otherCurrencies: z
      .array(z.object({ currency: fields.currency, sure, expected }).describe('The forecast in one currency'))
      .describe('The forecast in other currencies; they are never added'),
    reps: z
      .array(
        z
          .object({
            repId: fields.repId,
            name: z.string().describe('Name of the person'),
            currency: fields.currency,
            ...amounts,
            otherCurrencies,
          })
          .describe('The forecast of one person'),
      )
      .describe('Everyone whom the caller may see and who has a plan or a quota in the period, by name'),
    ...forecastStamp,
  })
  .describe('What a team will probably be paid for a period');

type PersonForecast = z.input<typeof personForecast>;
type TeamForecast = z.input<typeof teamForecast>;

interface Scope extends Omit<ForecastScope, 'goal' | 'withRows'> {
  readonly period: Period;
  readonly request: Query;
  /** Null while payouts are off, and for a team. */
  readonly payPeriods: PayPeriods | null;
}

function forecastPerson(tx: Transaction, repId: string, scope: Scope): Promise<RepForecast> {
  const { request, payPeriods } = scope;
  return forecastRep(tx, repId, { ...scope, goal: request.goal ?? null, withRows: payPeriods !== null });
}

async function readPerson(
  tx: Transaction,
  repId: string,
  scope: Scope,
): Promise<Omit<PersonForecast, keyof typeof forecastStamp>> {
  const name = await requireRepName(tx, repId);
  const { terms, open, result } = await forecastPerson(tx, repId, scope);
  const { period, days: range, today, request, payPeriods } = scope;
  const [main] = result.amounts;
  return {
    repId,
    name,
    period,
    ...toAmounts(result),
    method: result.method,
    deals: open.map((deal) => toDeal(deal, result)),
    plans: listPlanVersions(terms, range),
    ...(payPeriods === null || result.rows === null
      ? {}
      : { byPayPeriod: await releaseForecast(tx, { repId, range, today, payPeriods, rows: result.rows }) }),
    paces: await loadPaces(tx, terms, period, today),
    ...(result.goal === null ? {} : { goal: toGoal(result.goal, request.goal as number) }),
    currency: main.currency,
  };
}

function toAmounts({ amounts: [main, ...others] }: ForecastResult) {
  const toResponse = ({ worth: _, ...amount }: ForecastedAmounts) => amount;
  return { ...toResponse(main), otherCurrencies: others.map(toResponse) };
}

function toDeal(
  { won: _won, amount, probability, ...deal }: OpenDeal,
  { amounts: [main, ...others] }: ForecastResult,
): z.input<typeof forecastDeal> {
  const worthIn = ({ worth: byDeal }: ForecastedAmounts) => byDeal[deal.dealId] ?? null;
  return {
    ...deal,
    amount: amount === null ? null : Number(amount),
    probability: probability === null ? null : { ...probability, value: probability.value.toNumber() },
    worth: worthIn(main),
    ...(others.length === 0
      ? {}
      : { otherCurrencies: others.map((other) => ({ currency: other.currency, worth: worthIn(other) })) }),
  };
}

function toGoal(
  { isReached, isExact, dealIds, pay, missing }: NonNullable<ForecastResult['goal']>,
  amount: number,
): z.input<typeof goal> {
  return { amount, reached: isReached, dealIds: [...dealIds], pay, missing, exact: isExact };
}

/** The versions in force on a day of the range, of the plans that are assigned on one. */
function listPlanVersions(terms: RepTerms, { from, to }: DayRange): PersonForecast['plans'] {
  const touches = (start: Day | null, end: Day | null) => overlap({ from: start ?? from, to: end ?? to }, { from, to });
  return [...groupBy(terms.versions, ({ planId }) => planId)].flatMap(([planId, versions]) =>
    assignedDays(terms, planId).some(({ start, end }) => touches(start, end))
      ? payingVersions(versions)
          .filter(({ effectiveStart, effectiveEnd }) => touches(effectiveStart, effectiveEnd))
          .map(({ planVersionId, version }) => ({ planId, planVersionId, version }))
      : [],
  );
}

async function readTeam(
  tx: Transaction,
  caller: Caller,
  scope: Scope,
): Promise<Omit<TeamForecast, keyof typeof forecastStamp>> {
  const { period, workspace } = scope;
  const team = (await listTeam(tx, period, visibleReps(caller))).filter(({ hasTerms }) => hasTerms);
  const reps: TeamForecast['reps'] = [];
  for (const { repId, name } of team) {
    const { result } = await forecastPerson(tx, repId, scope);
    reps.push({ repId, name, ...toAmounts(result) });
  }
  const byCurrency = groupBy(
    reps.flatMap(({ otherCurrencies: others, ...main }) => [main, ...others]),
    ({ currency }) => currency,
  );
  const sumOf = (currency: string) => {
    const ofCurrency = byCurrency.get(currency) ?? [];
    const total = (name: 'sure' | 'expected') =>
      ofCurrency.reduce((sum, row) => sum.plus(Decimal.of(row[name])), Decimal.zero).toNumber();
    return { currency, sure: total('sure'), expected: total('expected') };
  };
  const others = [...byCurrency.keys()].filter((currency) => currency !== workspace.currency).sort();
  return { period, ...sumOf(workspace.currency), otherCurrencies: others.map(sumOf), reps };
}

const example = {
  currency: 'USD',
  sure: 4800,
  expected: 7280,
  p10: 4800,
  p90: 9600,
  otherCurrencies: [],
};

export const getForecast = operation({
  id: 'getForecast',
  summary: 'What a person or the team will probably be paid for a period, with what each open deal is worth',
  method: 'get',
  path: '/v1/forecast',
  access: 'rep',
  query,
  response: z.union([personForecast, teamForecast]),
  failures: { plan_too_complex: 400, rep_not_found: 404 },
  tool: {
    name: 'get_forecast',
    title: 'Get forecast',
    hints: effects.reads,
    description: {
      purpose: 'Probable pay of a person or the team, and what each open deal is worth.',
      useWhen: 'a person asks what is coming.',
      notFor: 'what is earned (get_commissions).',
      changes: 'nothing.',
    },
    arguments: {
      repId: 'The rep; the team without it',
      period: 'The current month by default',
      seed: { always: undefined },
      goal: 'With repId: pay to reach',
    },
    listsWithin: ['reps', 'deals'],
    summary: ({ sure: least, expected: probable, currency, otherCurrencies: others, period }) =>
      `Expected for ${period}: ${[{ sure: least, expected: probable, currency }, ...others].map((sum) => `${sum.expected} ${sum.currency}, of which ${sum.sure} if no open deal is won`).join('; ')}.`,
  },
  example: {
    query: { repId: sampleIds.repId, period: '2026-Q1' },
    response: {
      repId: sampleIds.repId,
      name: 'Ben',
      period: '2026-Q1',
      ...example,
      method: 'all_outcomes',
      deals: [
        {
          dealId: sampleIds.dealId,
          name: null,
          amount: 30000,
          currency: 'USD',
          stage: 'Proposal',
          stageLabel: 'Proposal',
          closeDate: '2026-02-10',
          probability: { value: 0.6, source: 'deal', field: 'probability' },
          worth: 2800,
        },
      ],
      plans: [{ planId: sampleIds.planId, planVersionId: sampleIds.planVersionId, version: 1 }],
      paces: [],
      seed: 1,
      calculatedAt: '2026-02-01T08:30:00.000Z',
    },
  },
  uses: { forecaster: Forecaster, clock: CLOCK },
  execute({ query: request }, caller, { forecaster, clock }): Promise<PersonForecast | TeamForecast> {
    const { repId, goal: amount, seed } = request;
    assertSeesRepOrTeam(
      caller,
      repId,
      'The forecast of the team needs the role manager or admin. Give your own repId for your forecast.',
    );
    if (amount !== undefined && repId === undefined) throw invalid({ path: 'goal', message: 'needs repId' });
    return forecaster.run(caller, async (tx, forecast) => {
      const now = clock.now();
      const [workspace, history, payPeriods] = await inParallel(
        () => loadWorkspaceTerms(tx),
        () => loadStageHistory(tx),
        () => (repId === undefined ? Promise.resolve(null) : loadPayPeriods(tx)),
      );
      const today = currentDay(workspace, now);
      const period = request.period ?? toPeriod(today, 'monthly');
      const range = calendarOf({ workspace }).range(period);
      const scope = { workspace, today, period, days: range, seed, request, history, payPeriods, forecast };
      const found = repId === undefined ? await readTeam(tx, caller, scope) : await readPerson(tx, repId, scope);
      return { ...found, seed, calculatedAt: now.toISOString() };
    });
  },
});
