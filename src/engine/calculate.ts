import { type Day, type DayRange, isEffective, isWithin } from '../kernel/day.js';
import { Decimal, maximum } from '../kernel/decimal.js';
import { type Period, periodKinds, periodOf, periodRange, periodsTouching } from '../kernel/period.js';
import { applicableVersion, type CompiledRule, type CompiledVersion } from './compiled-plan.js';
import { type ConditionTrace } from './condition.js';
import { asNumber, comparable, type FieldValue, isAbsent } from './field-value.js';
import { type Payout, payOut, type Quota, type Standing } from './payout.js';
import { type Deal, type ReadField } from './slug.js';
import { encodeTrace, type Reason, type TraceParts } from './trace.js';

/** A plan that the rep is, or was, on. */
export interface AssignedPlan {
  readonly planId: string;
  /** The rep's assignments; an end of null is open. */
  readonly assignments: readonly { readonly start: Day | null; readonly end: Day | null }[];
  /** Its active versions, in any order. */
  readonly versions: readonly CompiledVersion[];
}

/** A deal of someone below in the hierarchy, with the events that it has earned down there. */
export interface TeamDeal {
  readonly deal: Deal;
  readonly upstream: readonly UpstreamEvent[];
}

export interface UpstreamEvent {
  readonly repId: string;
  readonly ruleName: string;
  readonly phase: 'per_deal' | 'cascade' | 'periodic';
  readonly currency: string;
  readonly amount: Decimal;
}

/**
 * A row that the calculation must take as it stands: it holds its natural key, and its recorded credit and amount
 * count for the deals around it. `frozen` rows lie in an approved period; `kept` ones are historical, their
 * assignment or plan version having been withdrawn.
 */
export interface HeldEvent {
  readonly planId: string;
  readonly ruleName: string;
  readonly dealKey: string;
  readonly phase: 'per_deal' | 'cascade' | 'periodic';
  readonly hold: 'frozen' | 'kept';
  readonly earned: boolean;
  readonly earnedOn: Day;
  readonly period: Period;
  readonly attainmentKey: string;
  readonly credit: Decimal;
  readonly base: Decimal;
  readonly amount: Decimal;
  readonly tierName: string | null;
}

/** Everything that decides what one rep earns. The engine reads nothing else: no clock, no locale, no ledger. */
export interface RepInput {
  readonly repId: string;
  /** Today in the workspace's time zone; used only to know which periods have ended. */
  readonly asOf: Day;
  /** Days to calculate, widened to whole attainment periods. */
  readonly window: DayRange;
  readonly plans: readonly AssignedPlan[];
  readonly deals: readonly Deal[];
  readonly teamDeals: readonly TeamDeal[];
  readonly held: readonly HeldEvent[];
  /** Approved periods: nothing may be earned, changed or reversed on these days. */
  readonly frozen: readonly { readonly period: Period; readonly range: DayRange }[];
  quota(planId: string, key: string, period: Period): Quota | null;
  /** Credits of the other reps on the plan for the key and period; asked for rank rules only. */
  peerCredits(planId: string, key: string, period: Period): readonly Decimal[];
  /** From when periodic rules are considered where neither plan nor assignment has a start. */
  readonly firstActivity: Day | null;
  /** Whether every candidate rule must give an outcome with its reasons, paid or not. */
  readonly explain: boolean;
}

/** One event as the engine decided it: what the ledger row must say. */
export interface Decision {
  readonly planId: string;
  readonly planVersionId: string;
  readonly ruleId: string;
  readonly ruleName: string;
  readonly phase: 'per_deal' | 'cascade' | 'periodic';
  /** The deal's id, or for periodic events the period. */
  readonly dealKey: string;
  readonly category: 'commission' | 'bonus';
  readonly amount: Decimal;
  readonly base: Decimal;
  readonly credit: Decimal;
  readonly tierName: string | null;
  readonly attainmentKey: string;
  readonly currency: string;
  readonly period: Period;
  readonly earnedOn: Day;
  /** Compact; see trace.ts. */
  readonly trace: string;
}

/** A change that an approved period kept from being made. */
export interface HeldBack {
  readonly period: Period;
  readonly planId: string;
  readonly ruleName: string;
  readonly dealKey: string;
  readonly change: 'insert' | 'change' | 'reverse';
}

/** What one candidate rule came to on one deal, paid or not: the answer to "why did this not pay". */
export interface Outcome {
  readonly dealKey: string;
  readonly planId: string | null;
  readonly planVersionId: string | null;
  readonly ruleId: string | null;
  readonly ruleName: string | null;
  readonly paid: boolean;
  readonly amount: Decimal;
  readonly reason: Reason | null;
  /** For failed conditions: every condition with the value seen. For missing fields: the slugs. */
  readonly conditions: readonly ConditionTrace[];
  readonly missing: readonly string[];
}

export interface RepResult {
  readonly decisions: readonly Decision[];
  readonly heldBack: readonly HeldBack[];
  readonly outcomes: readonly Outcome[];
  /** Credit per plan, attainment key and period over everything that counts. */
  readonly credits: ReadonlyMap<string, Decimal>;
}

/** The commission of one rep over the window: a pure function of its input, whatever order the deals come in. */
export function calculateRep(input: RepInput): RepResult {
  const deals = [...input.deals.map((deal) => ({ deal, upstream: null })), ...input.teamDeals].sort((a, b) =>
    byCloseOrder(a.deal, b.deal),
  );
  const result = {
    decisions: [] as Decision[],
    heldBack: [] as HeldBack[],
    outcomes: [] as Outcome[],
    credits: new Map<string, Decimal>(),
  };
  for (const plan of input.plans) {
    const calculation = new PlanCalculation(input, plan, result);
    calculation.run(deals);
  }
  const known = new Set(input.plans.map((plan) => plan.planId));
  for (const held of input.held) {
    if (!known.has(held.planId) && held.hold === 'frozen' && held.earned)
      result.heldBack.push(heldBackOf(input, held, 'reverse'));
  }
  if (input.explain && input.plans.length === 0) {
    for (const deal of input.deals) result.outcomes.push(outcome(deal.dealId, null, null, 'no_assignment'));
  }
  return result;
}

type Candidate = { readonly deal: Deal; readonly upstream: readonly UpstreamEvent[] | null };

/** The running credit under one attainment key in one period. */
interface Counter {
  cumulative: Decimal;
  periodCredit: Decimal;
  highWater: Decimal | null;
  dealCredit: Decimal;
  sliceStart: Decimal;
}

/** One thing that happens on a day: a rule firing, a held row, or both where a held row is fired again. */
interface Entry {
  readonly day: Day;
  readonly dealKey: string;
  readonly position: number;
  readonly period: Period;
  readonly key: string;
  readonly ruleName: string;
  readonly credit: Decimal;
  readonly counter: Counter;
  readonly firing: Firing | null;
  readonly held: HeldEvent | null;
}

interface Firing {
  readonly version: CompiledVersion;
  readonly rule: CompiledRule;
  readonly measure: Decimal;
  readonly credit: Decimal;
  readonly base: Decimal;
  readonly tierValue: Decimal | null;
  readonly quota: Quota | null;
  readonly seen: readonly FieldValue[];
  readonly upstream: readonly UpstreamEvent[];
}

interface Sink {
  readonly decisions: Decision[];
  readonly heldBack: HeldBack[];
  readonly outcomes: Outcome[];
  readonly credits: Map<string, Decimal>;
}

/**
 * One plan of one rep. First every firing of the window is found, then all are walked in close order while the
 * counters run: rank and retroactive tiers need the whole period's credit before the first payout.
 */
class PlanCalculation {
  private readonly counters = new Map<string, Counter>();
  private readonly paid = new Map<string, Decimal>();
  private readonly ranks = new Map<Counter, number>();
  private readonly heldByKey = new Map<string, HeldEvent>();
  private readonly entries: Entry[] = [];

  constructor(
    private readonly input: RepInput,
    private readonly plan: AssignedPlan,
    private readonly sink: Sink,
  ) {
    for (const held of input.held) {
      if (held.planId === plan.planId) this.heldByKey.set(`${held.ruleName}|${held.dealKey}`, held);
    }
  }

  run(deals: readonly Candidate[]): void {
    for (const candidate of deals) this.fireDeal(candidate);
    this.holdTheRest((held) => held.phase !== 'periodic');
    this.walk();
    this.entries.length = 0;
    this.firePeriodicRules();
    this.holdTheRest((held) => held.phase === 'periodic');
    this.walk();
    for (const [key, counter] of this.counters) this.sink.credits.set(`${this.plan.planId}|${key}`, counter.cumulative);
  }

  private fireDeal({ deal, upstream }: Candidate): void {
    const day = deal.closeDate;
    const version = this.versionOn(day, upstream === null ? deal.dealId : null);
    if (version === null) return;
    const phase = upstream === null ? 'per_deal' : 'cascade';
    if (!this.isOfCurrency(deal, version)) return this.refuseAll(version, phase, deal, 'currency_mismatch');
    if (!version.dealConditions.passes(deal, day)) return this.refuseAll(version, phase, deal, 'deal_condition_failed');
    for (const rule of version.rules) {
      if (rule.rule.executionPhase !== phase) continue;
      this.fireRule(version, rule, deal, upstream);
    }
  }

  private fireRule(
    version: CompiledVersion,
    rule: CompiledRule,
    deal: Deal,
    upstream: readonly UpstreamEvent[] | null,
  ): void {
    const day = deal.closeDate;
    if (!rule.conditions.passes(deal, day)) {
      return this.refuse(version, rule, deal.dealId, 'rule_condition_failed', () => rule.conditions.explain(deal, day));
    }
    const inputs = upstream === null ? [] : upstreamOf(rule, upstream, version.version.currency);
    if (upstream !== null && inputs.length === 0) {
      const mixed = upstreamOf(rule, upstream, null).length > 0;
      return this.refuse(version, rule, deal.dealId, mixed ? 'currency_mismatch' : 'no_downstream_commission');
    }
    const period = periodOf(day, rule.rule.attainmentPeriod);
    const quota = this.input.quota(this.plan.planId, rule.key, period);
    const measure = asNumber(rule.readMeasure(deal));
    if (measure === null)
      return this.refuse(version, rule, deal.dealId, 'field_missing', undefined, [rule.rule.measure]);
    const base = this.baseOf(rule, deal, measure, inputs, quota);
    if (base === null) return this.refuseForBase(version, rule, deal.dealId);
    this.enter(day, deal.dealId, period, {
      version,
      rule,
      measure,
      credit: creditOf(rule, deal, measure),
      base,
      tierValue: rule.readTierValue === null ? null : asNumber(rule.readTierValue(deal)),
      quota,
      seen: [...version.dealConditions.seen(deal), ...rule.conditions.seen(deal)],
      upstream: inputs,
    });
  }

  private baseOf(
    rule: CompiledRule,
    deal: Deal,
    measure: Decimal,
    inputs: readonly UpstreamEvent[],
    quota: Quota | null,
  ): Decimal | null {
    const { payoutBase, executionPhase } = rule.rule;
    if (payoutBase === undefined) return executionPhase === 'cascade' ? total(inputs) : measure;
    if (payoutBase === 'variable_target') return quota?.variableTarget ?? null;
    return rule.readBase === null ? Decimal.one : asNumber(rule.readBase(deal));
  }

  /** A firing joins the walk, unless an approved period stands in its way. */
  private enter(day: Day, dealKey: string, period: Period, firing: Firing): void {
    const { rule } = firing.rule;
    const held = this.takeHeld(rule.name, dealKey);
    const frozen = this.frozenOn(day);
    if (held?.hold === 'frozen') {
      const stays = held.earned && held.earnedOn === day;
      if (!stays) this.sink.heldBack.push(heldBackOf(this.input, held, 'change'));
      if (held.earned) this.addHeld(held, stays ? firing : null);
      if (!stays) this.refuse(firing.version, firing.rule, dealKey, 'statement_locked');
      return;
    }
    if (frozen !== undefined) {
      this.sink.heldBack.push({
        period: frozen,
        planId: this.plan.planId,
        ruleName: rule.name,
        dealKey,
        change: 'insert',
      });
      return this.refuse(firing.version, firing.rule, dealKey, 'statement_locked');
    }
    const credit = rule.executionPhase === 'periodic' && rule.quotaGroup !== undefined ? Decimal.zero : firing.credit;
    this.add({
      day,
      dealKey,
      position: firing.rule.position,
      period,
      key: firing.rule.key,
      ruleName: rule.name,
      credit,
      firing: { ...firing, credit },
      held: null,
    });
  }

  private addHeld(held: HeldEvent, firing: Firing | null): void {
    this.add({
      day: held.earnedOn,
      dealKey: held.dealKey,
      position: firing?.rule.position ?? Number.MAX_SAFE_INTEGER,
      period: held.period,
      key: held.attainmentKey,
      ruleName: held.ruleName,
      credit: held.credit,
      firing,
      held,
    });
  }

  private add(entry: Omit<Entry, 'counter'>): void {
    const counter = this.counterOf(entry.key, entry.period);
    counter.periodCredit = counter.periodCredit.plus(entry.credit);
    this.entries.push({ ...entry, counter });
  }

  /** Held rows whose rule does not fire any more keep counting where they were recorded. */
  private holdTheRest(ofPass: (held: HeldEvent) => boolean): void {
    for (const [key, held] of this.heldByKey) {
      if (!ofPass(held)) continue;
      this.heldByKey.delete(key);
      if (!held.earned) continue;
      if (held.hold === 'frozen') this.sink.heldBack.push(heldBackOf(this.input, held, 'reverse'));
      this.addHeld(held, null);
    }
  }

  private walk(): void {
    this.entries.sort(byCloseOrderOfEntries);
    for (let start = 0; start < this.entries.length; ) {
      let end = start + 1;
      const first = this.entries[start] as Entry;
      while (end < this.entries.length && isSameDeal(this.entries[end] as Entry, first)) end += 1;
      this.walkDeal(this.entries.slice(start, end));
      start = end;
    }
  }

  /** The rules of one deal: each sees the credit of all of them, and marginal slices follow one another. */
  private walkDeal(entries: readonly Entry[]): void {
    for (const { counter, credit } of entries) counter.dealCredit = counter.dealCredit.plus(credit);
    for (const entry of entries) {
      const { counter, credit, held, firing } = entry;
      const payout =
        firing === null ? null : payOut(firing.rule, this.standingOf(entry, firing), firing.version.version.currency);
      const paidKey = `${entry.ruleName}|${entry.period}`;
      const amount = held?.amount ?? payout?.amount ?? Decimal.zero;
      if (held !== null) this.compareHeld(held, entry, firing, payout);
      else if (firing !== null && payout !== null) this.decide(entry, firing, payout);
      this.paid.set(paidKey, (this.paid.get(paidKey) ?? Decimal.zero).plus(amount));
      counter.sliceStart = counter.sliceStart.plus(credit);
    }
    for (const { counter } of entries) {
      counter.cumulative = counter.cumulative.plus(counter.dealCredit);
      counter.highWater =
        counter.highWater === null ? counter.cumulative : maximum(counter.highWater, counter.cumulative);
      counter.dealCredit = Decimal.zero;
      counter.sliceStart = counter.cumulative;
    }
  }

  private standingOf(entry: Entry, firing: Firing): Standing {
    const { counter } = entry;
    return {
      measure: firing.measure,
      credit: firing.credit,
      base: firing.base,
      tierValue: firing.tierValue,
      quota: firing.quota,
      before: counter.cumulative,
      sliceStart: counter.sliceStart,
      after: counter.cumulative.plus(counter.dealCredit),
      periodCredit: counter.periodCredit,
      highWater: counter.highWater,
      rank: firing.rule.rule.tierBy === 'rank' ? this.rankOf(entry) : null,
      paid: this.paid.get(`${entry.ruleName}|${entry.period}`) ?? Decimal.zero,
    };
  }

  private rankOf({ counter, key, period }: Entry): number {
    const known = this.ranks.get(counter);
    if (known !== undefined) return known;
    const peers = this.input.peerCredits(this.plan.planId, key, period);
    const rank = 1 + peers.filter((credit) => counter.periodCredit.isLessThan(credit)).length;
    this.ranks.set(counter, rank);
    return rank;
  }

  private decide(entry: Entry, firing: Firing, payout: Payout): void {
    const { rule } = firing.rule;
    const { version } = firing.version;
    const parts: TraceParts = { ...payout, upstream: firing.upstream, seen: firing.seen };
    this.sink.decisions.push({
      planId: this.plan.planId,
      planVersionId: version.planVersionId,
      ruleId: rule.id,
      ruleName: rule.name,
      phase: rule.executionPhase,
      dealKey: entry.dealKey,
      category: payout.isBonus ? 'bonus' : 'commission',
      amount: payout.amount,
      base: payout.base,
      credit: entry.credit,
      tierName: payout.tierName,
      attainmentKey: entry.key,
      currency: version.currency,
      period: entry.period,
      earnedOn: entry.day,
      trace: encodeTrace(parts),
    });
    if (this.input.explain)
      this.sink.outcomes.push({
        ...outcome(entry.dealKey, firing.version, firing.rule, payout.reason),
        paid: !payout.amount.isZero(),
        amount: payout.amount,
      });
  }

  /** A frozen row that would be paid differently now is reported; the row itself stays. */
  private compareHeld(held: HeldEvent, entry: Entry, firing: Firing | null, payout: Payout | null): void {
    if (firing === null || payout === null) return;
    const same =
      payout.amount.equals(held.amount) &&
      firing.credit.equals(held.credit) &&
      payout.base.equals(held.base) &&
      payout.tierName === held.tierName;
    if (!same && held.hold === 'frozen') this.sink.heldBack.push(heldBackOf(this.input, held, 'change'));
    if (this.input.explain) {
      this.sink.outcomes.push({
        ...outcome(entry.dealKey, firing.version, firing.rule, 'statement_locked'),
        paid: !held.amount.isZero(),
        amount: held.amount,
      });
    }
  }

  /** Periodic rules fire once for every period that has ended with the rep on the plan, deals or no deals. */
  private firePeriodicRules(): void {
    for (const kind of periodKinds) {
      const used = this.plan.versions.some((version) => version.rules.some((rule) => isPeriodicOf(rule, kind)));
      if (!used) continue;
      for (const period of periodsTouching(this.periodicWindow(), kind)) {
        const { to } = periodRange(period);
        if (to >= this.input.asOf) continue;
        const version = this.versionOn(to, null);
        for (const rule of version?.rules ?? []) {
          if (version !== null && isPeriodicOf(rule, kind)) this.firePeriodic(version, rule, period);
        }
      }
    }
  }

  private firePeriodic(version: CompiledVersion, rule: CompiledRule, period: Period): void {
    const range = periodRange(period);
    const day = range.to;
    const deals = this.input.deals.filter(
      (deal) =>
        isWithin(deal.closeDate, range) &&
        this.isOfCurrency(deal, version) &&
        version.dealConditions.passes(deal, day) &&
        rule.conditions.passes(deal, day),
    );
    const quota = this.input.quota(this.plan.planId, rule.key, period);
    const measure = sumOf(deals, rule.readMeasure);
    const base = periodicBase(rule, deals, measure, quota);
    if (base === null) return this.refuseForBase(version, rule, period);
    const credit =
      rule.credits === null
        ? measure
        : rule.credits.reduce((sum, { read, weight }) => sum.plus(sumOf(deals, read).times(weight)), Decimal.zero);
    const tierValue = rule.readTierValue === null ? null : sumOf(deals, rule.readTierValue);
    this.enter(day, period, period, { version, rule, measure, credit, base, tierValue, quota, seen: [], upstream: [] });
  }

  private periodicWindow(): DayRange {
    const starts = [
      ...this.plan.assignments.map((assignment) => assignment.start),
      ...this.plan.versions.map((version) => version.version.effectiveStart),
    ];
    const latestOpen = starts.some((start) => start === null) ? this.input.firstActivity : null;
    const bounded = starts.filter((start) => start !== null);
    const earliest = [...bounded, ...(latestOpen === null ? [] : [latestOpen])].sort()[0] ?? this.input.asOf;
    const { from, to } = this.input.window;
    return { from: from > earliest ? from : earliest, to: to < this.input.asOf ? to : this.input.asOf };
  }

  private versionOn(day: Day, explainedDeal: string | null): CompiledVersion | null {
    const assigned = this.plan.assignments.some(({ start, end }) => isEffective(day, start, end));
    const version = assigned ? applicableVersion(this.plan.versions, day) : null;
    if (version === null && explainedDeal !== null && this.input.explain) {
      const reason =
        this.plan.assignments.length === 0
          ? 'no_assignment'
          : this.plan.versions.length === 0
            ? 'plan_not_active'
            : 'outside_effective_dates';
      this.sink.outcomes.push({ ...outcome(explainedDeal, null, null, reason), planId: this.plan.planId });
    }
    return version;
  }

  private isOfCurrency(deal: Deal, version: CompiledVersion): boolean {
    const currency = deal.standard.currency;
    return isAbsent(currency) || comparable(String(currency)) === version.version.currency.toLowerCase();
  }

  private counterOf(key: string, period: Period): Counter {
    const name = `${key}|${period}`;
    const known = this.counters.get(name);
    if (known !== undefined) return known;
    const zero = Decimal.zero;
    const counter = { cumulative: zero, periodCredit: zero, highWater: null, dealCredit: zero, sliceStart: zero };
    this.counters.set(name, counter);
    return counter;
  }

  private takeHeld(ruleName: string, dealKey: string): HeldEvent | undefined {
    if (this.heldByKey.size === 0) return undefined;
    const key = `${ruleName}|${dealKey}`;
    const held = this.heldByKey.get(key);
    this.heldByKey.delete(key);
    return held;
  }

  private frozenOn(day: Day): Period | undefined {
    return this.input.frozen.find(({ range }) => isWithin(day, range))?.period;
  }

  private refuseAll(version: CompiledVersion, phase: 'per_deal' | 'cascade', deal: Deal, reason: Reason): void {
    if (!this.input.explain) return;
    for (const rule of version.rules) {
      if (rule.rule.executionPhase !== phase) continue;
      this.refuse(version, rule, deal.dealId, reason, () =>
        reason === 'deal_condition_failed' ? version.dealConditions.explain(deal, deal.closeDate) : [],
      );
    }
  }

  private refuseForBase(version: CompiledVersion, rule: CompiledRule, dealKey: string): void {
    const { payoutBase } = rule.rule;
    if (payoutBase === 'variable_target') return this.refuse(version, rule, dealKey, 'variable_target_missing');
    this.refuse(version, rule, dealKey, 'field_missing', undefined, [payoutBase ?? rule.rule.measure]);
  }

  private refuse(
    version: CompiledVersion,
    rule: CompiledRule,
    dealKey: string,
    reason: Reason,
    conditions: () => ConditionTrace[] = () => [],
    missing: readonly string[] = [],
  ): void {
    if (!this.input.explain) return;
    this.sink.outcomes.push({ ...outcome(dealKey, version, rule, reason), conditions: conditions(), missing });
  }
}

function outcome(
  dealKey: string,
  version: CompiledVersion | null,
  rule: CompiledRule | null,
  reason: Reason | null,
): Outcome {
  return {
    dealKey,
    planId: version?.version.planId ?? null,
    planVersionId: version?.version.planVersionId ?? null,
    ruleId: rule?.rule.id ?? null,
    ruleName: rule?.rule.name ?? null,
    paid: false,
    amount: Decimal.zero,
    reason,
    conditions: [],
    missing: [],
  };
}

function heldBackOf(input: RepInput, held: HeldEvent, change: HeldBack['change']): HeldBack {
  const period = input.frozen.find(({ range }) => isWithin(held.earnedOn, range))?.period ?? held.period;
  return { period, planId: held.planId, ruleName: held.ruleName, dealKey: held.dealKey, change };
}

/** The downstream events that feed a cascade rule; a currency of null takes those of any. */
function upstreamOf(rule: CompiledRule, upstream: readonly UpstreamEvent[], currency: string | null): UpstreamEvent[] {
  const { dependsOn = '_total' } = rule.rule;
  return upstream.filter(
    (event) =>
      (currency === null || event.currency === currency) &&
      (dependsOn === '_total'
        ? event.phase === 'per_deal'
        : event.phase !== 'periodic' && event.ruleName === dependsOn),
  );
}

function total(events: readonly UpstreamEvent[]): Decimal {
  return events.reduce((sum, event) => sum.plus(event.amount), Decimal.zero);
}

function creditOf(rule: CompiledRule, deal: Deal, measure: Decimal): Decimal {
  if (rule.credits === null) return measure;
  let credit = Decimal.zero;
  for (const { read, weight } of rule.credits)
    credit = credit.plus((asNumber(read(deal)) ?? Decimal.zero).times(weight));
  return credit;
}

function sumOf(deals: readonly Deal[], read: ReadField): Decimal {
  return deals.reduce((sum, deal) => sum.plus(asNumber(read(deal)) ?? Decimal.zero), Decimal.zero);
}

function periodicBase(
  rule: CompiledRule,
  deals: readonly Deal[],
  measure: Decimal,
  quota: Quota | null,
): Decimal | null {
  const { payoutBase } = rule.rule;
  if (payoutBase === undefined) return measure;
  if (payoutBase === 'variable_target') return quota?.variableTarget ?? null;
  return rule.readBase === null ? Decimal.one : sumOf(deals, rule.readBase);
}

function isPeriodicOf(rule: CompiledRule, kind: (typeof periodKinds)[number]): boolean {
  return rule.rule.executionPhase === 'periodic' && rule.rule.attainmentPeriod === kind;
}

function isSameDeal(a: Entry, b: Entry): boolean {
  return a.day === b.day && a.dealKey === b.dealKey;
}

function byCloseOrder(a: Deal, b: Deal): number {
  return compareText(a.closeDate, b.closeDate) || compareText(a.dealId, b.dealId);
}

function byCloseOrderOfEntries(a: Entry, b: Entry): number {
  return compareText(a.day, b.day) || compareText(a.dealKey, b.dealKey) || a.position - b.position;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
