import { type DealTerms, toContent, toEngineDeal } from '../deals/deal.js';
import { toRefundsByDeal, withRefunds } from '../deals/refunds/made-up-refunds.js';
import { dealOfKey, parseRefundKey } from '../engine/clawback.js';
import { type CreditLine, withOwner } from '../engine/credit-lines.js';
import { type DealLine } from '../engine/deal-line.js';
import { allDaysAtWork } from '../engine/effective-quota.js';
import { asNumber } from '../engine/field-value.js';
import { type Decision } from '../engine/model.js';
import { type PersonFacts } from '../engine/person-facts.js';
import { attainmentKey, type PlanTerms } from '../engine/plan-config.js';
import { computePlanCost } from '../engine/plan-cost.js';
import { type PlanFx } from '../engine/plan-fx.js';
import { type Deal, type SlugMapping } from '../engine/slug.js';
import { decodeTrace, type Trace } from '../engine/trace.js';
import { addDays, allDays, type DayRange, hull, isWithin } from '../kernel/day.js';
import { Decimal, sum } from '../kernel/decimal.js';
import { Failure, invalid } from '../kernel/failure.js';
import { type FiscalYear, type PeriodCalendar, toCalendar } from '../kernel/period-calendar.js';
import { type FxTerms } from '../ledger/input/exchange-rates.js';
import { findFirstActivity, widenToPeriods } from '../ledger/input/load-window.js';
import { type StoredVersion, type WorkspaceTerms } from '../ledger/input/rep-terms.js';
import { type SimulatedRepData } from '../simulation/simulated-reps.js';
import { calculateTeam } from '../simulation/simulated-team.js';
import { unsaved } from '../simulation/unsaved-plan.js';
import { toAssumedRates } from './assumed-rates.js';
import { toRamp } from './personal-terms.js';
import { defaultPerson, type FailedTest, type PlanTest, type TestResult } from './plan-tests.js';
import { assertTablesFit, withSentTables } from './table-checks.js';
import { findUnpaidOutcomes, type PersonOutcomes } from './unpaid-outcomes.js';
import { unsavedVersion } from './unstored-versions.js';

/** The terms that the tests check, and how the workspace reads its deals. */
interface TestedPlan {
  readonly terms: PlanTerms;
  readonly currency: string;
  readonly fx: PlanFx | null;
  readonly rates: Omit<FxTerms, 'series' | 'assumed'> & { readonly workspaceCurrency: string };
  readonly fieldMapping: SlugMapping;
  readonly measures: SlugMapping;
  readonly fiscalYears: readonly FiscalYear[];
  readonly deals: DealTerms;
}

/** Max number of comparisons of all tests: about a quarter of a second. */
const maxTestsCost = 400_000;

/**
 * Runs the tests with the engine alone: nothing but the plan and the test decides about the result. The version applies
 * on all days, so that a test does not depend on the dates of the version.
 */
export async function runTests(plan: TestedPlan, tests: readonly PlanTest[]): Promise<TestResult> {
  assertTestsCost(plan.terms, tests);
  const failed: FailedTest[] = [];
  for (const [index, test] of tests.entries()) failed.push(...(await findFailures(plan, test, index)));
  return { passed: failed.length === 0, tests: tests.length, failed };
}

function assertTestsCost(terms: PlanTerms, tests: readonly PlanTest[]): void {
  const deals = tests.reduce((count, test) => count + (test.deals.length + 1) * (1 + peopleAbove(test)), 0);
  const cost = deals * computePlanCost(terms) * 2;
  if (cost <= maxTestsCost) return;
  throw new Failure(
    'plan_too_complex',
    `The tests need ${cost} comparisons, but at most ${maxTestsCost} are allowed. Use fewer tests, deals or conditions.`,
    { cost, limit: maxTestsCost },
  );
}

function peopleAbove({ managers = {} }: PlanTest): number {
  return new Set(Object.values(managers)).size;
}

async function findFailures(plan: TestedPlan, test: PlanTest, index: number): Promise<FailedTest[]> {
  assertRulesKnown(plan.terms, test, index);
  assertTablesFit(plan.terms, withSentTables([], test.tables ?? [], `tests.${index}.tables`), plan.currency);
  const version: StoredVersion = {
    ...unsavedVersion(plan.terms, plan.currency, plan.fx),
    fieldMapping: plan.fieldMapping,
  };
  const calendar = toCalendar(plan.fiscalYears);
  const workspace = toWorkspaceTerms(plan, test);
  const range = computeDays(test, calendar, `tests.${index}`);
  const window = widenToPeriods({ versions: [version], workspace }, range);
  const head = {
    planId: unsaved,
    versions: [version],
    asOf: test.asOf ?? addDays(window.to, 1),
    window,
    quota: null,
    visible: null,
  };
  const deals = toTestDeals(plan, test, `tests.${index}`);
  const people = listPeople(test).map((person) => toRepData(plan, test, { person, version, deals }));
  const { results } = await calculateTeam(head, people);
  const events = [...results].flatMap(([person, { decisions }]) => decisions.map((decision) => ({ person, decision })));
  const outcomes = [...results].map(([person, result]) => ({ person, outcomes: result.outcomes }));
  return differences(test, { events, outcomes }, { version, calendar, timeZone: plan.deals.timeZone });
}

/** Only the rates of the test count. */
function toWorkspaceTerms(plan: TestedPlan, { fxRates = [], tables = [] }: PlanTest): WorkspaceTerms {
  const { measures, fiscalYears, rates, deals } = plan;
  const { workspaceCurrency, ...rules } = rates;
  return {
    currency: workspaceCurrency,
    timeZone: deals.timeZone,
    testDay: null,
    measures,
    fiscalYears,
    amountSlug: deals.standard['dealAmount'] ?? null,
    fx: { ...rules, series: [], assumed: toAssumedRates(fxRates) },
    sendsEvents: false,
    writesBack: false,
    hasRefunds: false,
    hasLines: false,
    tables,
    revision: '',
  };
}

/** A misspelled rule would otherwise pass with the amount 0. */
function assertRulesKnown({ rules }: PlanTerms, { expected, quotas = [] }: PlanTest, index: number): void {
  const names = new Set(rules.map(({ name }) => name));
  const keys = new Set([...names, ...rules.map(attainmentKey)]);
  const path = `tests.${index}`;
  for (const [position, { ruleName }] of expected.entries())
    if (!names.has(ruleName))
      throw invalid({ path: `${path}.expected.${position}.ruleName`, message: `the config has no rule ${ruleName}` });
  for (const [position, { measure }] of quotas.entries())
    if (!keys.has(measure))
      throw invalid({
        path: `${path}.quotas.${position}.measure`,
        message: `the config has no rule or group ${measure}`,
      });
}

/** The days of all deals and periods that the test names. */
function computeDays(
  { deals, refunds = [], quotas = [], expected }: PlanTest,
  calendar: PeriodCalendar,
  path: string,
): DayRange {
  const toRange =
    (list: string) =>
    ({ period }: { readonly period?: string | undefined }, index: number) =>
      period === undefined ? [] : [calendar.range(period, `${path}.${list}.${index}.period`)];
  const ranges = [
    ...deals.map(({ closeDate }) => ({ from: closeDate, to: closeDate })),
    ...refunds.map(({ day }) => ({ from: day, to: day })),
    ...quotas.flatMap(toRange('quotas')),
    ...expected.flatMap(toRange('expected')),
  ];
  return ranges.length === 0 ? calendar.range('2026') : ranges.reduce(hull);
}

function listPeople({ deals, quotas = [], managers = {}, expected }: PlanTest): string[] {
  const credited = deals.flatMap(({ credits = [] }) => credits);
  const named = [...deals, ...credited, ...quotas, ...expected].flatMap(({ rep }) => rep ?? []);
  const owners = deals.some(({ rep }) => rep === undefined) ? [defaultPerson] : [];
  const people = new Set([...owners, ...named, ...Object.entries(managers).flat()]);
  return people.size === 0 ? [defaultPerson] : [...people];
}

/** Everyone below the manager, at any distance. A person who is below themself is left out. */
function peopleBelow(managers: Readonly<Record<string, string>>, manager: string): string[] {
  const below = new Set<string>();
  const pending = [manager];
  for (let above = pending.pop(); above !== undefined; above = pending.pop())
    for (const [person, their] of Object.entries(managers))
      if (their === above && person !== manager && !below.has(person)) {
        below.add(person);
        pending.push(person);
      }
  return [...below];
}

interface TestDeal {
  readonly owner: string;
  readonly deal: Deal;
}

/** The deals of the test with their refunds. */
function toTestDeals(plan: TestedPlan, test: PlanTest, path: string): TestDeal[] {
  const deals = test.deals.map((deal) => ({ owner: deal.rep ?? defaultPerson, deal: toTestDeal(deal, plan.deals) }));
  const amounts = new Map(deals.map(({ deal: { dealId, standard } }) => [dealId, asNumber(standard.dealAmount)]));
  const facts = (test.refunds ?? []).map(({ waivers, ...refund }) => ({
    ...refund,
    waivers: waivers.map(({ rep, percent }) => ({ repId: rep, percent: String(percent) })),
  }));
  const refunds = toRefundsByDeal(facts, amounts, `${path}.refunds`);
  return deals.map(({ owner, deal }) => ({ owner, deal: withRefunds(deal, refunds) }));
}

function toRepData(
  plan: TestedPlan,
  test: PlanTest,
  {
    person,
    version,
    deals: all,
  }: { readonly person: string; readonly version: StoredVersion; readonly deals: readonly TestDeal[] },
): SimulatedRepData {
  const workspace = toWorkspaceTerms(plan, test);
  const hasPart = ({ owner, deal }: TestDeal, name: string) =>
    deal.credits === undefined ? owner === name : deal.credits.some(({ repId }) => repId === name);
  const below = peopleBelow(test.managers ?? {}, person);
  const { effectiveStart: start = null, effectiveEnd: end = null, ramp } = test.assignment ?? {};
  const absences = (test.absences ?? []).filter(({ rep = defaultPerson }) => rep === person);
  const deals = all.filter((each) => hasPart(each, person)).map(({ deal }) => deal);
  const quotas = toQuotas(plan.terms, test, person);
  return {
    terms: {
      repId: person,
      workspace,
      frozen: [],
      assignments: [{ planId: unsaved, start, end, deleted: false, ramp: toRamp(ramp) }],
      versions: [version],
      overrides: new Map(),
      person: toPersonFacts(test, person),
      workingTime: absences.length === 0 ? null : { ...allDaysAtWork, absences },
      hasManagers: false,
    },
    quotas,
    assumesQuota: false,
    storedRanks: new Map(),
    deals,
    team: below.map((repId) => ({ repId, ...allDays })),
    teamDeals: all
      .filter((each) => below.some((name) => hasPart(each, name)))
      .map(({ deal }) => ({ deal, upstream: [] })),
    firstActivity: findFirstActivity(
      { workspace, quotas },
      deals.map(({ closeDate }) => closeDate),
    ),
  };
}

function toPersonFacts({ people = {} }: PlanTest, person: string): PersonFacts {
  const facts = Object.entries(people[person] ?? {});
  const [hireDate = null] = facts.flatMap(([, value]) => (typeof value === 'string' ? [value] : []));
  const fields = Object.fromEntries(
    facts.flatMap(([field, value]) => (typeof value === 'string' ? [] : [[field, value]])),
  );
  return { hireDate, fields };
}

function toTestDeal(
  { rep: owner = defaultPerson, dealId, credits, lines: products, ...content }: PlanTest['deals'][number],
  terms: DealTerms,
): Deal {
  const read = toEngineDeal(dealId, toContent(content), terms) as Deal;
  const deal = products === undefined ? read : { ...read, lines: products as readonly DealLine[] };
  if (credits === undefined) return deal;
  const lines = credits.map(
    ({ rep, role = null, percent, ...line }): CreditLine => ({
      ...line,
      repId: rep,
      role,
      percent: String(percent),
      source: 'api',
    }),
  );
  return { ...deal, credits: withOwner(lines, owner) };
}

function toQuotas({ rules }: PlanTerms, { quotas = [] }: PlanTest, person: string): SimulatedRepData['quotas'] {
  return quotas
    .filter(({ rep }) => rep === undefined || rep === person)
    .map(({ measure, period, target, variableTarget }) => {
      const rule = rules.find(({ name }) => name === measure);
      return {
        planId: unsaved,
        key: rule === undefined ? measure : attainmentKey(rule),
        period,
        target: String(target),
        variableTarget: variableTarget === undefined ? null : String(variableTarget),
      };
    });
}

interface TestEvent {
  readonly person: string;
  readonly decision: Decision;
}

interface TraceTerms {
  readonly version: StoredVersion;
  readonly timeZone: string;
}

/** The expectations that do not hold. A deal that no rule pays has the amount 0. */
function differences(
  test: PlanTest,
  { events, outcomes }: { readonly events: readonly TestEvent[]; readonly outcomes: readonly PersonOutcomes[] },
  terms: TraceTerms & { readonly calendar: PeriodCalendar },
): FailedTest[] {
  const { name, expected, total } = test;
  const failed = expected.flatMap((expectation): FailedTest[] => {
    const { ruleName, dealId, refundId, lineId, period, rep, amount } = expectation;
    const matching = events
      .filter((event) => matches(event, expectation, terms.calendar))
      .map(({ decision }) => decision);
    const actual = sum(matching.map((decision) => amountOf(decision, lineId, terms)));
    if (actual.equals(Decimal.of(amount))) return [];
    const [only] = matching.length === 1 ? matching : [];
    return [
      {
        name,
        ruleName,
        dealId: dealId ?? null,
        ...(refundId === undefined ? {} : { refundId }),
        ...(lineId === undefined ? {} : { lineId }),
        ...(period === undefined ? {} : { period }),
        ...(rep === undefined ? {} : { rep }),
        expected: amount,
        actual: actual.toNumber(),
        trace: only === undefined ? null : { ...decodeTestTrace(only, terms) },
        unpaid: findUnpaidOutcomes(test, expectation, outcomes, terms.calendar),
      },
    ];
  });
  const all = sum(events.map(({ decision }) => decision.amount));
  if (total === undefined || all.equals(Decimal.of(total))) return failed;
  const ofTotal = { name, ruleName: null, dealId: null, expected: total, actual: all.toNumber() };
  return [...failed, { ...ofTotal, trace: null, unpaid: [] }];
}

/** What the rule paid for the deal, or for one of its lines. */
function amountOf(decision: Decision, lineId: string | undefined, terms: TraceTerms): Decimal {
  if (lineId === undefined) return decision.amount;
  const { lines = [] } = decodeTestTrace(decision, terms);
  return sum(lines.filter((line) => line.lineId === lineId).map((line) => Decimal.of(line.amount)));
}

function matches(
  { person, decision }: TestEvent,
  { ruleName, dealId, refundId, period, rep }: PlanTest['expected'][number],
  calendar: PeriodCalendar,
): boolean {
  return (
    decision.ruleName === ruleName &&
    (dealId === undefined || dealOfKey(decision.dealKey) === dealId) &&
    (refundId === undefined || parseRefundKey(decision.dealKey)?.refundId === refundId) &&
    (period === undefined || isWithin(decision.earnedOn, calendar.range(period))) &&
    (rep === undefined || rep === person)
  );
}

function decodeTestTrace(decision: Decision, { version, timeZone }: TraceTerms): Trace {
  const rule = version.rules.find(({ name }) => name === decision.ruleName);
  return decodeTrace(decision.trace, {
    conditions: [...version.dealConditions, ...(rule?.conditions ?? [])],
    lineConditions: rule?.lines?.conditions,
    day: decision.earnedOn,
    timeZone,
    tierName: decision.tierName,
    amount: decision.amount.toNumber(),
  });
}
