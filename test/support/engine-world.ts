import { calculateRep } from '#src/engine/calculate.js';
import { needsWholePeriod } from '#src/engine/carried-credit.js';
import { type Refund } from '#src/engine/clawback.js';
import {
  type CompiledVersion,
  compileRefundTerms,
  compileTimeline,
  type PlanVersion,
  type TierOverride,
} from '#src/engine/compiled-plan.js';
import { type Condition } from '#src/engine/condition.js';
import { type CreditLine, selectLines, withOwner } from '#src/engine/credit-lines.js';
import { type CompiledCreditRule, compileCreditRules, deriveLines } from '#src/engine/credit-rules.js';
import { type AssignedDays, defaultMinQuotaPercent, type WorkingTime } from '#src/engine/effective-quota.js';
import { ExchangeRates } from '#src/engine/exchange-rates.js';
import { type CountedLine } from '#src/engine/line-trace.js';
import { type Decision, type FixedEvent, type RepInput, type UpstreamEvent } from '#src/engine/model.js';
import { readPlanConfig } from '#src/engine/plan-config.js';
import { selectUpstream } from '#src/engine/rule-values.js';
import { runningCreditSteps } from '#src/engine/running-credit.js';
import { type Deal } from '#src/engine/slug.js';
import { buildTimeline, type DatedPlan, stoppedDays } from '#src/engine/version-timeline.js';
import { type DayRange, isEffective, isWithin } from '#src/kernel/day.js';
import { Decimal, sum } from '#src/kernel/decimal.js';
import { PeriodCalendar } from '#src/kernel/period-calendar.js';
import { amount as toAmount, withoutLastDigits } from './oracle/decimal.js';
import { inPlanCurrency } from './oracle/fx.js';
import { type LedgerRow, type RowLine, type World, type WorldPlanVersion, type WorldRefund } from './oracle/world.js';

/** Runs the engine over a whole world as the ledger does, until cascades and ranks no longer change. */
export function engineLedger(world: World): LedgerRow[] {
  let counted: LedgerRow[] = [];
  for (let round = 0; round < 12; round += 1) {
    const reps = world.reps.map((rep) => selectRows(world, rep.repId, counted));
    const next = reps.flatMap((each) => each.counted).sort(byKey);
    if (JSON.stringify(next) === JSON.stringify(counted)) return reps.flatMap((each) => each.rows).sort(byKey);
    counted = next;
  }
  throw new Error('the rows still changed after the last round');
}

/** The decisions from a day on, calculated with all deals and with the sums of the earlier events in place of their deals. */
export function continuedLedgers(
  world: World,
  day: string,
): { readonly whole: LedgerRow[]; readonly continued: LedgerRow[] }[] {
  const ledger = engineLedger(world);
  const trueUps = world.frozen.filter(({ truedUp }) => truedUp !== null).map(({ repId }) => repId);
  return world.reps
    .filter(({ repId }) => !trueUps.includes(repId))
    .map(({ repId }) => {
      const input = engineInput(world, repId, ledger);
      const isContinuable = ({ versions }: RepInput['plans'][number]) =>
        !versions.some(({ rules }) => rules.some(({ rule }) => needsWholePeriod(rule)));
      const whole = { ...input, plans: input.plans.filter(isContinuable) };
      const { decisions } = calculateRep(whole);
      const closed = new Set(
        [...input.deals, ...input.teamDeals.map(({ deal }) => deal)].flatMap(({ dealId, closeDate }) =>
          closeDate >= day ? [dealId] : [],
        ),
      );
      const continued = calculateRep({
        ...whole,
        window: { ...input.window, from: day },
        deals: input.deals.filter(({ closeDate }) => closeDate >= day),
        teamDeals: input.teamDeals.filter(({ deal }) => deal.closeDate >= day),
        fixed: input.fixed.filter(({ earnedOn, dealKey }) => earnedOn >= day || closed.has(dealKey)),
        carried: [...decisions, ...input.fixed].filter(({ earnedOn }) => earnedOn < day),
      });
      const rows = (all: readonly Decision[]) =>
        all
          .filter(({ earnedOn }) => earnedOn >= day)
          .map((decision) => ({ ...toRow(repId, decision), trace: decision.trace }))
          .sort(byKey);
      return { whole: rows(decisions), continued: rows(continued.decisions) };
    });
}

interface PeriodicCredit {
  readonly key: string;
  readonly credit: string | null;
}

/** The credit of every periodic event of reps without approved periods, and the running credit on its day. */
export function periodicCredits(world: World): {
  readonly ended: PeriodicCredit[];
  readonly running: PeriodicCredit[];
} {
  const ledger = engineLedger(world);
  const ended: PeriodicCredit[] = [];
  const running: PeriodicCredit[] = [];
  for (const { repId } of world.reps) {
    const { refunds: _, ...input } = engineInput(world, repId, ledger);
    const events = calculateRep({ ...input, fixed: [], frozen: [] }).decisions.filter(
      ({ phase }) => phase === 'periodic',
    );
    for (const { planId, attainmentKey, period, earnedOn } of events) {
      const key = [repId, planId, attainmentKey, period].join('|');
      const days = rangeOf(world, period);
      const ofKey = events.filter(
        (one) => one.planId === planId && one.attainmentKey === attainmentKey && one.period === period,
      );
      const total = sum(ofKey.map((one) => one.credit));
      ended.push({ key, credit: total.toString() });
      const steps = runningCreditSteps(input, period, { days, through: earnedOn });
      let step = steps.next();
      while (step.done !== true) step = steps.next();
      running.push({ key, credit: step.value.creditOf(planId, attainmentKey)?.toString() ?? null });
    }
  }
  return { ended, running };
}

interface RepRows {
  readonly rows: LedgerRow[];
  /** The rows that count for other rules: those of a true-up replace the approved ones. */
  readonly counted: LedgerRow[];
}

function selectRows(world: World, repId: string, counted: readonly LedgerRow[]): RepRows {
  const { decisions } = calculateRep(engineInput(world, repId, counted));
  const written = decisions.map((decision) => toRow(repId, decision));
  const { approved, replaced, truedUp, unchanged } = selectStoredRows(world, repId);
  return {
    rows: [...written, ...approved, ...replaced, ...unchanged],
    counted: [...written, ...approved, ...truedUp.map(({ row }) => row), ...unchanged],
  };
}

interface StoredRows {
  /** Rows of approved periods without a true-up. */
  readonly approved: LedgerRow[];
  /** Rows of approved periods that a true-up has replaced. */
  readonly replaced: LedgerRow[];
  readonly truedUp: { readonly row: LedgerRow; readonly period: string }[];
  /** Rows of stopped days whose deal exists. */
  readonly unchanged: LedgerRow[];
}

function selectStoredRows(world: World, repId: string): StoredRows {
  const own = world.storedRows.filter((row) => row.repId === repId);
  const periods = world.frozen.filter((frozen) => frozen.repId === repId);
  const findPeriod = (row: LedgerRow) => periods.find(({ period }) => isWithin(row.earnedOn, rangeOf(world, period)));
  const stopped = new Map(world.plans.map((plan) => [plan.planId, stoppedDays(datedPlan(plan))]));
  return {
    approved: own.filter((row) => findPeriod(row)?.truedUp === null),
    replaced: own.filter((row) => (findPeriod(row)?.truedUp ?? null) !== null),
    truedUp: periods.flatMap(({ period, truedUp }) => (truedUp ?? []).map((row) => ({ row, period }))),
    unchanged: own.filter(
      (row) =>
        findPeriod(row) === undefined &&
        stopped.get(row.planId)?.(row.earnedOn) === true &&
        (findPhase(world, row) === 'periodic' || world.deals.some((deal) => deal.dealId === row.dealId)),
    ),
  };
}

function heldEvents(world: World, repId: string): FixedEvent[] {
  const { approved, replaced, truedUp, unchanged } = selectStoredRows(world, repId);
  const rowKey = (row: LedgerRow) => [row.planId, row.ruleName, row.dealId].join('|');
  const counted = new Set(truedUp.map(({ row }) => rowKey(row)));
  return [
    ...approved.map((row) => toFixedEvent(world, row, 'frozen')),
    ...truedUp.map(({ row, period }) => ({ ...toFixedEvent(world, row, 'frozen'), frozenPeriod: period })),
    ...replaced.filter((row) => !counted.has(rowKey(row))).map((row) => toFixedEvent(world, row, 'owned')),
    ...unchanged.map((row) => toFixedEvent(world, row, 'stopped')),
  ];
}

/** The input of one rep, with the rows of everyone. */
export function engineInput(world: World, repId: string, ledger: readonly LedgerRow[]): RepInput {
  const rules = compileCreditRules(
    (world.creditRules ?? []).map(({ percent, percentField, conditions, ...rule }) => ({
      ...rule,
      conditions: conditions as readonly Condition[],
      percent: percent ?? { field: percentField as string },
    })),
    world.workspace.measures,
    world.workspace.timeZone,
    new PeriodCalendar(world.fiscalYears ?? []),
  );
  const deals = world.deals.flatMap((deal) =>
    deal.closeDate === null ? [] : [{ repId: deal.repId, deal: withCredits(world, deal, toDeal(world, deal), rules) }],
  );
  const starts = [
    ...deals.map(({ deal }) => deal.closeDate),
    ...world.quotas.map((quota) => rangeOf(world, quota.period).from),
  ];
  return {
    repId,
    asOf: world.asOf,
    window: { from: '2020-01-01', to: '2030-12-31' },
    plans: world.plans
      .filter((plan) =>
        world.assignments.some((assignment) => assignment.repId === repId && assignment.planId === plan.planId),
      )
      .map((plan) => ({
        planId: plan.planId,
        assignments: world.assignments
          .filter((assignment) => assignment.repId === repId && assignment.planId === plan.planId)
          .map(assignedDays),
        versions: compiled(world, plan, repId),
      })),
    deals: deals.filter((deal) => participants(deal).includes(repId)).map(({ deal }) => deal),
    teamDeals: deals
      .filter((each) => participants(each).some((member) => isBelow(world, member, repId, each.deal.closeDate)))
      .map(({ deal }) => ({ deal, upstream: listUpstream(world, repId, deal, ledger) })),
    fixed: heldEvents(world, repId),
    frozen: world.frozen
      .filter((frozen) => frozen.repId === repId)
      .map(({ period }) => ({ period, range: rangeOf(world, period) })),
    fx: {
      rates: new ExchangeRates(
        [],
        (world.fxRates ?? []).map(({ table = 'default', ...rate }) => ({ table, ...rate })),
        { workspaceCurrency: world.workspace.currency, maxAgeDays: maxAgeOf(world) },
      ),
      currencyFields: new Set(world.workspace.currencyFields),
      amountSlug: world.workspace.standard.dealAmount ?? null,
    },
    refunds: refundInput(world, repId, deals, ledger),
    calendar: new PeriodCalendar(world.fiscalYears ?? []),
    workingTime: workingTimeOf(world, repId),
    quota: (planId, key, period) => {
      const quota = world.quotas.find(
        (candidate) =>
          candidate.repId === repId &&
          candidate.planId === planId &&
          candidate.key === key &&
          candidate.period === period,
      );
      if (quota === undefined) return null;
      return {
        target: Decimal.of(quota.target),
        variableTarget: quota.variableTarget === null ? null : Decimal.of(quota.variableTarget),
        isFixed: quota.prorate === false,
      };
    },
    peerCredits: (planId, key, period) => {
      const { from, to } = rangeOf(world, period);
      const peers = new Set(
        world.assignments
          .filter(
            (assignment) =>
              assignment.planId === planId &&
              assignment.repId !== repId &&
              (assignment.effectiveStart ?? from) <= to &&
              (assignment.effectiveEnd ?? to) >= from,
          )
          .map((assignment) => assignment.repId),
      );
      return [...peers].map((peer) =>
        ledger
          .filter(
            (row) => row.repId === peer && row.planId === planId && row.attainmentKey === key && row.period === period,
          )
          .reduce((sum, row) => sum.plus(Decimal.of(row.credit)), Decimal.zero),
      );
    },
    firstActivity: starts.sort()[0] ?? null,
    explain: true,
  };
}

/** The refunds of the deals, and the rows of the rep that approved periods and stopped days hold. */
function refundInput(
  world: World,
  repId: string,
  deals: readonly { readonly deal: Deal }[],
  ledger: readonly LedgerRow[],
): NonNullable<RepInput['refunds']> {
  const { workspace } = world;
  const versions = world.plans.flatMap(({ planId, versions: ofPlan }) =>
    ofPlan.map((version) => readVersion(planId, version, workspace.currency)),
  );
  const findTerms = (planVersionId: string, ruleName: string) => {
    const version = versions.find((each) => each.planVersionId === planVersionId);
    const rule = version?.rules.find(({ name }) => name === ruleName);
    if (version === undefined || rule === undefined) return null;
    return compileRefundTerms(rule, version, workspace.measures, workspace.timeZone);
  };
  const { approved, truedUp, unchanged } = selectStoredRows(world, repId);
  const approvedRows = approved.map((row) => ({
    row,
    approved: world.frozen
      .filter((frozen) => frozen.repId === repId)
      .map(({ period }) => rangeOf(world, period))
      .find((range) => isWithin(row.earnedOn, range)) as DayRange,
  }));
  const held = [
    ...approvedRows,
    ...truedUp.map(({ row, period }) => ({ row, approved: rangeOf(world, period) })),
    ...unchanged.map((row) => ({ row, approved: null })),
  ];
  const sources = held.flatMap(({ row, approved: range }) => {
    const given = world.deals.find((each) => each.dealId === row.dealId);
    const deal = deals.find((each) => each.deal.dealId === row.dealId)?.deal ?? (given && toDeal(world, given));
    if (deal === undefined || findPhase(world, row) === 'periodic') return [];
    const source = toFixedEvent(world, row, 'frozen');
    const { planVersionId, category, currency } = row;
    return [
      {
        ...source,
        planVersionId,
        category,
        currency,
        inputs: inputsOf(world, row, deal, ledger),
        lines: row.lines?.map(toCountedLine) ?? null,
        approved: range,
        deal,
      },
    ];
  });
  const below = (dealKey: string) =>
    ledger.filter((row) => row.dealId === dealKey).map((row) => toUpstream(world, row));
  return { sources, terms: findTerms, below };
}

function toCountedLine({ lineId, net, credit, raw }: RowLine): CountedLine {
  return { lineId, net: net === null ? null : Decimal.of(net), credit: Decimal.of(credit), raw: Decimal.of(raw) };
}

/** What a manager's row would be calculated from now. */
function inputsOf(world: World, row: LedgerRow, deal: Deal, ledger: readonly LedgerRow[]) {
  if (findPhase(world, row) !== 'cascade') return null;
  const version = world.plans
    .flatMap(({ planId, versions }) => versions.map((each) => readVersion(planId, each, world.workspace.currency)))
    .find(({ planVersionId }) => planVersionId === row.planVersionId);
  const rule = version?.rules.find(({ name }) => name === row.ruleName);
  if (version === undefined || rule === undefined) return [];
  // A deal that has lost its date was in the approved period.
  const closeDate = (deal.closeDate as string | null) ?? row.earnedOn;
  const upstream = listUpstream(world, row.repId, { ...deal, closeDate }, ledger);
  const { fx = null, currency: target } = version;
  const weigh = (amount: Decimal, currency: string) => {
    const value = { value: toAmount(amount.toString()), currency, closeDate };
    const stored = world.plans
      .flatMap(({ versions }) => versions)
      .find((each) => each.planVersionId === row.planVersionId);
    const converted = currency === target ? null : inPlanCurrency(world, stored as WorldPlanVersion, rule, value);
    return converted?.toDecimalPlaces(40).toFixed() ?? amount.toString();
  };
  return selectUpstream({ rule }, upstream, fx === null ? target : null).map(({ amount, currency, ...input }) => ({
    ...input,
    amount: weigh(amount, currency),
  }));
}

function maxAgeOf({ workspace: { fxMaxAgeDays = 45 } }: World): number | null {
  return fxMaxAgeDays;
}

function rangeOf(world: World, period: string): DayRange {
  const range = new PeriodCalendar(world.fiscalYears ?? []).findRange(period);
  if (range === null) throw new RangeError(`not a period: ${period}`);
  return range;
}

function assignedDays({ effectiveStart, effectiveEnd, ramp }: World['assignments'][number]): AssignedDays {
  const days = { start: effectiveStart, end: effectiveEnd };
  if (ramp === undefined) return days;
  const steps = ramp.steps.map((step) => ({ variablePercent: 100, ratePercent: 100, ...step }));
  return { ...days, ramp: { from: ramp.from, steps } };
}

function workingTimeOf({ reps, absences = [], workspace }: World, repId: string): WorkingTime {
  const rep = reps.find((candidate) => candidate.repId === repId);
  return {
    hireDate: rep?.hireDate ?? null,
    endDate: rep?.endDate ?? null,
    absences: absences
      .filter((absence) => absence.repId === repId)
      .map(({ from, to, quotaRelief = 100, variableRelief = 100 }) => ({
        from,
        to,
        quotaRelief,
        variableRelief,
      })),
    minQuotaPercent: workspace.minQuotaPercent ?? defaultMinQuotaPercent,
  };
}

function datedPlan({ status, versions }: World['plans'][number]): DatedPlan {
  return { isActive: status === 'active', versions };
}

function compiled(
  world: World,
  { planId, status, versions }: World['plans'][number],
  repId: string,
): CompiledVersion[] {
  const { workspace } = world;
  const timeline = status === 'active' ? buildTimeline(versions) : [];
  const overrides = new Map<string, readonly TierOverride[]>(
    timeline.flatMap((version) =>
      version.overrides
        .filter((override) => override.repId === repId)
        .map((override) => [ruleIdOf(version, override.ruleName), override.tiers] as const),
    ),
  );
  const read = timeline.map((version) => readVersion(planId, version, workspace.currency));
  const calendar = new PeriodCalendar(world.fiscalYears ?? []);
  const { tables = [] } = world;
  return compileTimeline(read, repId, overrides, workspace.measures, workspace.timeZone, calendar, tables);
}

type WorldVersion = World['plans'][number]['versions'][number];

function ruleIdOf({ planVersionId }: WorldVersion, ruleName: string): string {
  return `${planVersionId}/${ruleName}`;
}

function readVersion(planId: string, version: WorldVersion, currency: string): PlanVersion {
  const read = readPlanConfig(version.config);
  if ('issues' in read)
    throw new Error(
      `a generated config was rejected: ${JSON.stringify(read.issues)} ${JSON.stringify(version.config)}`,
    );
  return {
    planId,
    planVersionId: version.planVersionId,
    version: version.version,
    effectiveStart: version.effectiveStart,
    effectiveEnd: version.effectiveEnd,
    currency: version.currency ?? currency,
    ...(version.fx === undefined ? {} : { fx: version.fx }),
    fieldMapping: version.fieldMapping ?? {},
    dealConditions: read.terms.dealConditions,
    rules: read.terms.rules.map((rule) => ({ ...rule, id: ruleIdOf(version, rule.name) })),
  };
}

function toDeal(world: World, deal: World['deals'][number]): Deal {
  const { standard } = world.workspace;
  const named = (deal.given ?? {}) as Record<string, string | number | undefined>;
  const values = Object.fromEntries(
    (['dealAmount', 'dealStage', 'dealName', 'ownerId', 'currency', 'createdDate'] as const).map((name) => {
      const slug = standard[name];
      const mapped = slug !== undefined && Object.hasOwn(deal.fields, slug) ? deal.fields[slug] : undefined;
      return [name, named[name] ?? mapped ?? null];
    }),
  );
  return {
    dealId: deal.dealId,
    closeDate: deal.closeDate as string,
    fields: deal.fields,
    standard: { ...values, closeDate: deal.closeDate },
    ...(deal.refunds === undefined ? {} : { refunds: deal.refunds.map(toRefund) }),
    ...(deal.lines === undefined || deal.lines.length === 0 ? {} : { lines: deal.lines }),
  };
}

function toRefund({ amount, lines, waivers = [], ...refund }: WorldRefund): Refund {
  const parts = lines?.map(({ lineId, amount: part }) => ({
    lineId,
    amount: part === undefined ? null : String(part),
  }));
  return {
    ...refund,
    amount: amount === undefined ? null : String(amount),
    ...(parts === undefined ? {} : { lines: parts }),
    waivers: waivers.map(({ repId, percent }) => ({ repId, percent: String(percent) })),
  };
}

/** The deal with its lines, of each kind those of the highest source, and the owner's rest. */
function withCredits(
  world: World,
  { repId, credits = [] }: World['deals'][number],
  deal: Deal,
  rules: readonly CompiledCreditRule[],
): Deal {
  const derived = deriveLines(rules, deal, (name) => findPerson(world, name)).lines;
  const stored = credits.map(
    ({ source, repId, kind, role = null, percent, affects = 'both' }): CreditLine => ({
      source,
      repId,
      kind,
      role,
      percent: String(percent),
      affects,
    }),
  );
  const lines = selectLines([...stored, ...derived]);
  return lines.length === 0 ? deal : { ...deal, credits: withOwner(lines, repId) };
}

function findPerson({ reps }: World, name: string): string | null {
  const isNamed = ({ email, memberId }: World['reps'][number]) => email === name.toLowerCase() || memberId === name;
  return reps.find(isNamed)?.repId ?? null;
}

function participants({ repId, deal }: { readonly repId: string | null; readonly deal: Deal }): string[] {
  return (deal.credits ?? [{ repId }]).flatMap((line) => line.repId ?? []);
}

function listUpstream(world: World, managerId: string, deal: Deal, ledger: readonly LedgerRow[]): UpstreamEvent[] {
  return ledger
    .filter((row) => row.dealId === deal.dealId && isBelow(world, row.repId, managerId, deal.closeDate))
    .map((row) => toUpstream(world, row));
}

function toUpstream(world: World, row: LedgerRow): UpstreamEvent {
  return {
    repId: row.repId,
    planId: row.planId,
    ruleName: row.ruleName,
    phase: findPhase(world, row),
    currency: row.currency,
    amount: Decimal.of(row.amount),
    share: row.share === undefined ? null : `${row.share.credit} ${row.share.pay}`,
  };
}

function findPhase(world: World, row: LedgerRow): UpstreamEvent['phase'] {
  const version = world.plans
    .flatMap((plan) => plan.versions)
    .find((candidate) => candidate.planVersionId === row.planVersionId);
  const read = readPlanConfig(version?.config);
  if ('issues' in read) throw new Error('unknown version');
  return read.terms.rules.find((rule) => rule.name === row.ruleName)?.executionPhase ?? 'per_deal';
}

function isBelow(world: World, repId: string, managerId: string, day: string): boolean {
  let current: string | undefined = repId;
  for (let depth = 0; depth < 20 && current !== undefined; depth += 1) {
    const line: World['reps'][number]['lines'][number] | undefined = world.reps
      .find((rep) => rep.repId === current)
      ?.lines.find((candidate) => isEffective(day, candidate.from, candidate.to));
    if (line === undefined) return false;
    if (line.managerId === managerId) return true;
    current = line.managerId;
  }
  return false;
}

function toFixedEvent(world: World, row: LedgerRow, kind: FixedEvent['kind']): FixedEvent {
  return {
    planId: row.planId,
    ruleName: row.ruleName,
    dealKey: row.dealId,
    phase: findPhase(world, row),
    kind,
    earnedOn: row.earnedOn,
    period: row.period,
    attainmentKey: row.attainmentKey,
    credit: Decimal.of(row.credit),
    base: Decimal.of(row.base),
    amount: Decimal.of(row.amount),
    tierName: row.tierName,
    cutOff: Decimal.of(row.cutOff ?? 0),
    share: row.share === undefined ? null : `${row.share.credit} ${row.share.pay}`,
  };
}

function toRow(repId: string, decision: Decision): LedgerRow {
  return {
    repId,
    dealId: decision.dealKey,
    planId: decision.planId,
    planVersionId: decision.planVersionId,
    ruleName: decision.ruleName,
    amount: decision.amount.toString(),
    base: decision.base.toString(),
    credit: decision.credit.toString(),
    tierName: decision.tierName,
    category: decision.category,
    attainmentKey: decision.attainmentKey,
    currency: decision.currency,
    period: decision.period,
    earnedOn: decision.earnedOn,
    ...sharedIn(decision),
    ...(decision.cutOff.isZero() ? {} : { cutOff: decision.cutOff.toString() }),
  };
}

function sharedIn({ share }: Decision): Pick<LedgerRow, 'share'> {
  const [credit, pay] = share?.split(' ') ?? [];
  return credit === undefined || pay === undefined ? {} : { share: { credit, pay } };
}

/** A quotient has no last digit: the two implementations keep different numbers of them. */
export function comparableRows(rows: readonly LedgerRow[]): LedgerRow[] {
  return rows.map(({ share, cutOff, lines: _, ...row }) => ({
    ...row,
    ...(cutOff === undefined ? {} : { cutOff: withoutLastDigits(cutOff, 15) }),
    base: withoutLastDigits(row.base),
    credit: withoutLastDigits(row.credit),
    ...(share === undefined
      ? {}
      : { share: { credit: withoutLastDigits(share.credit), pay: withoutLastDigits(share.pay) } }),
  }));
}

export function byKey(a: LedgerRow, b: LedgerRow): number {
  const key = (row: LedgerRow) => `${row.repId}|${row.planId}|${row.ruleName}|${row.dealId}`;
  return key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0;
}
