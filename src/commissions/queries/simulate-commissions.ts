import { z } from 'zod';
import { type DealTerms, dealBody, dealBodyExample, dealId, toEngineDeal } from '../../deals/deal.js';
import { allLines, assertValidLines, type SentLine, sentLines } from '../../deals/deal-credits.js';
import { DealOwners } from '../../deals/deal-owners.js';
import { computeCredits } from '../../deals/refresh-credits.js';
import { resolveLines } from '../../deals/resolve-lines.js';
import { attainmentExample } from '../../earnings/attainment.js';
import { type CreditLine } from '../../engine/credit-lines.js';
import { type DealLine } from '../../engine/deal-line.js';
import { dealLineInput, findRepeatedLine, maxLines } from '../../engine/deal-line-input.js';
import { planFx } from '../../engine/plan-fx.js';
import { rateTableInput } from '../../engine/rate-table-input.js';
import { type Deal } from '../../engine/slug.js';
import { type Caller, mayActAs, maySee, visibleReps } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { currentDay, type Day } from '../../kernel/day.js';
import { assertDayOrder } from '../../kernel/day-order.js';
import { Failure, invalid } from '../../kernel/failure.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { withRatesFor } from '../../ledger/input/exchange-rates.js';
import { calendarOf, loadWorkspaceTerms } from '../../ledger/input/rep-terms.js';
import { assumedRates, toAssumedRates } from '../../plans/assumed-rates.js';
import { simulatedAbsence, simulatedRamp, toRamp } from '../../plans/personal-terms.js';
import { planConfig, planNotFound, requestedDates } from '../../plans/plan.js';
import { describeWarnings } from '../../plans/plan-tool-text.js';
import { isDraft, maySeePlan, planViewer } from '../../plans/plan-views.js';
import { loadSimulatedVersions, type SimulatedPlan, type SimulatedVersions } from '../../plans/simulated-versions.js';
import { collectSimulationWarnings } from '../../plans/simulation-warnings.js';
import { assertTablesFit, sentTableFailures, withSentTables } from '../../plans/table-checks.js';
import { type Transaction, UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { effects, firstDay } from '../../platform/mcp/tool.js';
import { operation, type PreparedJson } from '../../platform/operations/operation.js';
import { day, period, uuid } from '../../platform/operations/schemas.js';
import { type SentQuota, type SimulatedRepData } from '../../simulation/simulated-reps.js';
import { unsaved } from '../../simulation/unsaved-plan.js';
import {
  assertVariesOwnDeals,
  buildHypotheticalContents,
  type SimulatedContent,
  variedDeals,
} from '../rep-simulation.js';
import { readRefunds, simulatedRefunds } from '../simulated-refunds.js';
import { simulatedResponse } from '../simulated-response.js';
import { loadSimulation, type SimulatedAbsence } from '../simulation-data.js';
import { loadSimulatedPayouts, simulatedInvoices } from '../simulation-payouts.js';
import { SimulationRunner } from '../simulation-runner.js';
import { type SimulationHead } from '../simulation-task.js';
import { sumWords } from '../sum-words.js';

const amount = z.number().min(0).max(1e12);
const body = z.strictObject({
  planId: uuid.optional().describe('The plan to simulate (UUID); with config, the plan that would change'),
  planVersionId: uuid.optional().describe('The plan version to simulate (UUID)'),
  config: planConfig
    .optional()
    .describe('Conditions and rules to simulate, in place of those of the plan. Managers and admins only'),
  effectiveStart: day
    .nullish()
    .describe(
      'With planId and config: first day of the new config, as in a change of the plan; null for no earliest day',
    ),
  period: period.describe('The period to simulate'),
  repId: uuid.optional().describe('Only this rep'),
  repIds: z.array(uuid).min(1).max(500).optional().describe('Only these reps (UUID)'),
  deals: z
    .array(
      dealBody
        .extend({
          dealId: dealId.describe('Id of the deal in the CRM'),
          credits: sentLines.optional().describe('Who is credited on the deal; by default as stored, or its owner'),
          lines: z
            .array(dealLineInput)
            .min(1)
            .max(maxLines)
            .refine((lines) => findRepeatedLine(lines) < 0, 'must not repeat a lineId')
            .optional()
            .describe('The products of the deal; by default as stored. Managers and admins only'),
        })
        .describe('A deal with its id in the CRM'),
    )
    .max(500)
    .optional()
    .describe(
      'Made-up deals in addition to the stored ones. One with the id of a stored deal takes its place, and keeps the values that the request does not name. A rep may give only the id of an own open deal, with another amount, stage or close date',
    ),
  quota: z
    .strictObject({
      target: amount.describe('What counts as 100 %, in the unit of the measure'),
      variableTarget: amount.optional().describe('Variable pay at 100 %, in the currency of the plan'),
    })
    .optional()
    .describe('Target to assume for every rep instead of the stored quotas'),
  absences: z
    .array(
      z
        .strictObject({
          repId: uuid.optional().describe('The person (UUID); the simulated rep by default'),
          ...simulatedAbsence,
        })
        .describe('A made-up absence'),
    )
    .max(100)
    .optional()
    .describe('Made-up absences in addition to the stored ones'),
  ramp: simulatedRamp.optional().describe('Ramp of everyone on the plan, in place of the stored one'),
  fx: planFx.nullish().describe('With config: how it converts values in other currencies'),
  fxRates: assumedRates
    .optional()
    .describe('Made-up exchange rates; each takes the place of a stored one of its table, pair and day'),
  tables: z
    .array(rateTableInput)
    .max(200)
    .optional()
    .describe('Rate tables, each in place of a stored one of its name. Managers and admins only'),
  refunds: simulatedRefunds
    .optional()
    .describe(
      'Made-up refunds of stored or made-up deals, in addition to the stored ones; one with the id of a stored refund takes its place. Managers and admins only',
    ),
  invoices: simulatedInvoices
    .optional()
    .describe(
      'Made-up invoices, in workspaces with payouts; each takes the place of the stored one of its deal and id',
    ),
  asOf: day.optional().describe('Day to calculate as of, YYYY-MM-DD; today by default'),
});
type Body = z.infer<typeof body>;

async function load(
  tx: Transaction,
  caller: Caller,
  request: Body,
  repIds: readonly string[] | null,
  clock: Clock,
): Promise<{ readonly head: SimulationHead; readonly reps: readonly SimulatedRepData[] }> {
  const { period: during, quota, asOf, fxRates = [] } = request;
  const stored = await loadWorkspaceTerms(tx);
  const { timeZone, fiscalYears } = stored;
  const today = currentDay(stored, clock.now());
  const plan = simulatedPlan(request, today);
  const simulatedVersions = await loadSimulatedVersions(tx, plan);
  if (!(await maySimulate(tx, caller, simulatedVersions))) throw planNotFound();
  const converting = await withRatesFor(tx, stored, simulatedVersions.versions);
  const { fx } = converting;
  const tables = withSentTables(stored.tables, request.tables ?? [], 'tables');
  const workspace = { ...converting, tables, fx: fx === null ? null : { ...fx, assumed: toAssumedRates(fxRates) } };
  if (request.config !== undefined)
    for (const version of simulatedVersions.versions) assertTablesFit(version, tables, version.currency);
  const madeUp = await buildHypotheticalDeals(tx, caller, request, repIds, timeZone);
  const { deals, refunds } = await readRefunds(tx, caller, request.refunds, madeUp);
  const visible = visibleReps(caller);
  const simulated = {
    workspace,
    plan,
    period: during,
    repIds,
    deals,
    visible,
    hasQuota: quota !== undefined,
    absences: readAbsences(request, repIds),
    ramp: toRamp(request.ramp),
    refunds,
  };
  const { window, reps, requested } = await loadSimulation(tx, simulated, simulatedVersions);
  const checked = {
    plan,
    simulated: simulatedVersions,
    range: calendarOf({ workspace }).range(during),
    hasQuota: quota !== undefined,
    repIds: requested,
  };
  const head: SimulationHead = {
    planId: simulatedVersions.planId,
    versions: simulatedVersions.versions,
    period: during,
    asOf: asOf ?? today,
    window,
    timeZone,
    fiscalYears,
    quota: quota === undefined ? null : sentAmounts(quota),
    visible,
    repIds: requested.filter((repId) => maySee(caller, repId)),
    warnings: await collectSimulationWarnings(tx, caller, checked),
    payouts: await loadSimulatedPayouts(tx, reps, request.invoices),
  };
  return { head, reps };
}

/** The made-up absences, each of a simulated rep. */
function readAbsences({ absences = [] }: Body, repIds: readonly string[] | null): SimulatedAbsence[] {
  const onlyRep = repIds?.length === 1 ? repIds[0] : undefined;
  return absences.map(({ repId = onlyRep, ...absence }, index) => {
    assertDayOrder([`absences.${index}.from`, absence.from], [`absences.${index}.to`, absence.to]);
    if (repId === undefined || repIds?.includes(repId) === false)
      throw invalid({ path: `absences.${index}.repId`, message: 'must be one of the simulated reps' });
    return { repId, ...absence };
  });
}

/** Whether the caller sees the plan and those of its versions that are simulated. */
async function maySimulate(
  tx: Transaction,
  caller: Caller,
  { planId, versions, stored }: SimulatedVersions,
): Promise<boolean> {
  if (planId === unsaved || planViewer(caller) === null) return true;
  const used = new Set(versions.map(({ planVersionId }) => planVersionId));
  const hasDraft = stored.some((version) => used.has(version.planVersionId) && isDraft(version));
  return !hasDraft && maySeePlan(tx, caller, planId);
}

function sentAmounts({ target, variableTarget }: NonNullable<Body['quota']>): SentQuota {
  return { target: String(target), variableTarget: variableTarget === undefined ? null : String(variableTarget) };
}

function simulatedPlan({ planId, planVersionId, config, fx, effectiveStart }: Body, today: Day): SimulatedPlan {
  if (fx !== undefined && config === undefined)
    throw invalid({ path: 'fx', message: 'needs config: a stored plan has its own' });
  if (planId !== undefined && config !== undefined && planVersionId === undefined)
    return { planId, config, fx, dates: requestedDates({ config, effectiveStart }), today };
  if (effectiveStart !== undefined)
    throw invalid({ path: 'effectiveStart', message: 'needs planId and config: it is the start of a change' });
  const named = [planId, planVersionId, config].filter((value) => value !== undefined);
  if (named.length !== 1)
    throw invalid({ path: '', message: 'give planId, planVersionId or config, or planId with config' });
  if (planId !== undefined) return { planId };
  if (planVersionId !== undefined) return { planVersionId };
  return { config: config as NonNullable<typeof config>, fx: fx ?? null };
}

/** A rep can simulate only their own commission; null means everyone on the plan. */
function requestedReps(request: Body, caller: Caller): readonly string[] | null {
  const { repId, repIds } = request;
  if (repId !== undefined && repIds !== undefined)
    throw invalid({ path: 'repIds', message: 'give repId or repIds, not both' });
  const requested = repId === undefined ? (repIds ?? null) : [repId];
  if (mayActAs(caller, 'manager')) return requested === null ? null : [...new Set(requested)];
  if (caller.repId === null || requested?.some((requestedId) => !maySee(caller, requestedId)))
    throw new Failure('forbidden', 'A rep can simulate only their own commission.');
  assertVariesOwnDeals(request, caller.repId);
  return [caller.repId];
}

async function buildHypotheticalDeals(
  tx: Transaction,
  caller: Caller,
  request: Body,
  repIds: readonly string[] | null,
  timeZone: string,
) {
  if (request.deals === undefined) return [];
  const { field_mapping: mapping } = await tx.db
    .selectFrom('workspaces')
    .select('field_mapping')
    .where('workspace_id', '=', tx.workspaceId)
    .executeTakeFirstOrThrow();
  const terms = { timeZone, standard: mapping.standard };
  const contents = await simulatedContents(
    tx,
    caller,
    request.deals.map(({ credits: _, lines: __, ...deal }) => deal),
    terms,
  );
  const onlyRep = repIds?.length === 1 ? repIds[0] : undefined;
  const named = mayActAs(caller, 'manager') ? await findNamedOwners(tx, request.deals) : null;
  const deals = request.deals.map(({ dealId: id, lines: sent }, index) => {
    const { content, lines: stored, ownerId } = contents[index] as SimulatedContent;
    const deal = toEngineDeal(id, content, terms);
    const lines = (sent as readonly DealLine[] | undefined) ?? stored;
    const owner = named?.[index];
    const repId = named === null ? ownerId : owner === undefined ? (ownerId ?? onlyRep) : owner;
    if (repId === undefined)
      throw invalid({
        path: `deals.${index}.repId`,
        message: 'is required when several reps are simulated: the owner of the deal',
      });
    if (deal === null)
      throw invalid({
        path: `deals.${index}.closeDate`,
        message: 'is required: the close date decides the period of the deal',
      });
    return { repId, deal: lines === undefined ? deal : { ...deal, lines } };
  });
  return withCredits(tx, deals, request.deals);
}

/** The deals with the lines of the request, or else with those that they would have if they were stored. */
async function withCredits(
  tx: Transaction,
  deals: readonly { readonly repId: string | null; readonly deal: Deal }[],
  requested: NonNullable<Body['deals']>,
) {
  const lines: (CreditLine[] | null)[] = [];
  for (const { credits } of requested) lines.push(credits === undefined ? null : await readLines(tx, credits));
  const computed = await computeCredits(
    tx,
    deals.map(({ deal }, index) => ({ deal, lines: lines[index] ?? null })),
  );
  return deals.map(({ repId, deal }, index) => {
    const credits = computed[index] ?? null;
    return { repId, deal: credits === null ? deal : { ...deal, credits: allLines(credits, repId) } };
  });
}

async function readLines(tx: Transaction, sent: readonly SentLine[]): Promise<CreditLine[]> {
  const lines = await resolveLines(tx, sent);
  assertValidLines(lines);
  return lines.map((line) => ({ ...line, source: 'api' }));
}

/** The owner whom the request names for each deal: null if it is no rep, undefined if it names none. */
async function findNamedOwners(
  tx: Transaction,
  deals: NonNullable<Body['deals']>,
): Promise<(string | null | undefined)[]> {
  const owners = new DealOwners(tx);
  const named = deals.map(({ repId, ownerId, ownerEmail }) => ({
    projection: { givenRepId: repId ?? null, ownerId: ownerId ?? null, ownerEmail: ownerEmail ?? null },
  }));
  await owners.preload(named);
  return named.map(({ projection }) =>
    Object.values(projection).every((value) => value === null) ? undefined : (owners.resolve(projection) ?? null),
  );
}

/** The content and the stored lines of each deal of the request. A rep varies own open deals, others make up deals. */
async function simulatedContents(
  tx: Transaction,
  caller: Caller,
  deals: NonNullable<Body['deals']>,
  terms: DealTerms,
): Promise<SimulatedContent[]> {
  if (!mayActAs(caller, 'manager')) return variedDeals(tx, caller, deals, terms);
  return buildHypotheticalContents(tx, caller, deals, terms);
}

/** Of the whole period, so without the day through which it counts. */
const { through: _through, ...simulatedAttainment } = attainmentExample;

export const simulateCommissions = operation({
  id: 'simulateCommissions',
  summary: 'What a plan would pay over a period, rule by rule with traces and reasons; writes nothing',
  method: 'post',
  path: '/v1/commissions/simulate',
  access: 'rep',
  scope: 'read',
  body,
  maxKeys: 100_000,
  response: simulatedResponse,
  failures: {
    plan_too_complex: 400,
    group_terms_differ: 400,
    splits_must_total_100: 400,
    credit_repeated: 400,
    schedule_must_total_100: 400,
    ...sentTableFailures,
    plan_not_found: 404,
    rep_not_found: 404,
  },
  tool: {
    name: 'simulate_commissions',
    title: 'Simulate commissions',
    hints: effects.reads,
    description: {
      purpose:
        'Dry run of a plan, a version or a new config over a period: what each rep would earn, by rule and deal, with the trace and the reason for every 0.',
      useWhen: 'before a plan changes, or for "what if I close this deal".',
      notFor: 'what is earned (get_commissions).',
      formats:
        'planId, planVersionId or config; planId with config is a change of the plan. period as in get_commissions, or 2026-H1. Without repId everyone assigned to the plan is simulated, with config alone every active rep.',
      changes: 'nothing.',
    },
    arguments: {
      planId: 'The plan',
      planVersionId: 'One version, drafts too',
      config: 'As in create_plan (managers and admins)',
      effectiveStart: firstDay('Its first day'),
      period: 'Its period',
      repId: 'This rep',
      repIds: 'Give this or repId',
      deals: {
        description: 'Made-up deals: [{dealId, amount, stage, closeDate, fields?, repId?}]',
        schema: () => ({ type: 'array', items: { type: 'object' } }),
      },
      fx: { always: undefined },
      fxRates: {
        description: 'Rates: [{from, to, rate, day?}]',
        schema: () => ({ type: 'array', items: { type: 'object' } }),
      },
      quota: 'To assume for every rep',
      absences: { always: undefined },
      invoices: {
        description: 'Invoices: [{dealId, amount, payments: [{amount, paidOn}]}]',
        schema: () => ({ type: 'array', items: { type: 'object' } }),
      },
      ramp: { always: undefined },
      tables: {
        description: 'In place of stored ones: [{name, keys, columns, rows}]',
        schema: () => ({ type: 'array', items: { type: 'object' } }),
      },
      refunds: {
        description: 'Refunds: [{dealId, refundId?, day, amount?}]',
        schema: () => ({ type: 'array', items: { type: 'object' } }),
      },
      asOf: 'Today by default',
    },
    listsWithin: ['reps'],
    detail: { defaultForm: 'full', summaryOmits: ['reps.rules.deals', 'reps.outcomes'] },
    summary: ({ total, currency, otherCurrencies = [], period, reps, warnings }) =>
      reps.length === 0
        ? 'No rep is assigned to this plan in the period, so nothing was simulated. Give repId or repIds.'
        : `Simulated ${period}: ${sumWords([{ total, currency }, ...otherCurrencies])} in total for ${reps.length} reps. Nothing was written.${describeWarnings({ warnings })}`,
  },
  example: {
    body: {
      planId: sampleIds.planId,
      period: '2026-Q1',
      repId: sampleIds.repId,
      deals: [{ dealId: 'what-if', ...dealBodyExample }],
    },
    response: {
      planId: sampleIds.planId,
      planVersionId: sampleIds.planVersionId,
      period: '2026-Q1',
      currency: 'USD',
      total: 0,
      warnings: [],
      reps: [{ repId: sampleIds.repId, total: 0, attainment: [simulatedAttainment], rules: [], outcomes: [] }],
    },
  },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK, simulations: SimulationRunner },
  async execute({ body: request }, caller, { unitOfWork, clock, simulations }): Promise<PreparedJson> {
    const repIds = requestedReps(request, caller);
    const { head, reps } = await unitOfWork.read(caller, (tx) => load(tx, caller, request, repIds, clock));
    return simulations.run(caller.workspaceId, head, reps);
  },
});
