import { type Day, type DayRange, intersection, isEffective, isWithin } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { type Period, type PeriodKind, periodKinds } from '../kernel/period.js';
import { type CalendarName, calendarNames } from '../kernel/period-calendar.js';
import { isRefundKey, parseRefundKey, quotient } from './clawback.js';
import { CloseOrderWalk, type Entry, type Firing, type WalkListener } from './close-order-walk.js';
import { applicableVersion, type CompiledRule, type CompiledVersion } from './compiled-plan.js';
import { type ConditionTrace, type SeenValue } from './condition.js';
import { type CompiledFx, type FiringConversion } from './convert-deal.js';
import {
  type CountedDeal,
  countLines,
  type FiringLine,
  type LineTerms,
  type MatchedLines,
  matchLines,
  shareLines,
  type UncountedDeal,
  wholeDeal,
} from './count-lines.js';
import { wholeShare } from './credit-lines.js';
import { type DealLine } from './deal-line.js';
import { type EffectiveQuota } from './effective-quota.js';
import { absenceReason, asNumber, comparable, type FieldValue, isAbsent } from './field-value.js';
import { readFormula } from './formula-trace.js';
import { type RefundedLine } from './line-shares.js';
import { toRawAmounts } from './line-trace.js';
import {
  type AssignedPlan,
  type BlockedChange,
  type Decision,
  type FixedEvent,
  isExplained,
  type Outcome,
  type RepInput,
  type UpstreamEvent,
} from './model.js';
import { type Payout } from './payout.js';
import { readPerson } from './person-facts.js';
import { PlanQuotas } from './plan-quotas.js';
import { PlanRates, type RuleDeal, sumConversions } from './plan-rates.js';
import { type PlannedRefund, PlanRefunds, type Refundable, type TakenBack } from './plan-refunds.js';
import { type KeyFacts } from './rule-table.js';
import {
  applyShare,
  computeBase,
  computeCredit,
  isCreditNote,
  NumberReader,
  type ReadNumber,
  type SharedDeal,
  selectUpstream,
  summedFields,
  sumOver,
} from './rule-values.js';
import { computeShare, computeTeamShare, formatShare, parseShare } from './shares.js';
import { type Deal, type ReadField } from './slug.js';
import { decodeInputs, encodeTrace, type Reason } from './trace.js';

/** A deal to calculate. With upstream events it is a deal of the team, otherwise the rep's own. */
type Candidate = { readonly deal: Deal; readonly upstream: readonly UpstreamEvent[] | null };

/** A candidate that passes the conditions of the plan, with the values that they read and what was converted. */
type PassingDeal = Candidate & {
  readonly seen: readonly SeenValue[];
  /** Null in a plan that converts nothing. */
  readonly fx: Pick<RuleDeal, 'on' | 'conversions'> | null;
};

/** A deal that a periodic rule counts, with its matching lines if the rule has lines. */
type PeriodicDeal = SharedDeal & Pick<RuleDeal, 'conversions'> & Partial<MatchedLines>;

/** What a rule reads of a deal, before the share of the person. */
type FiringValues = Pick<
  Firing,
  'measure' | 'credit' | 'base' | 'isCreditNote' | 'tierValue' | 'tierValueAbsence' | 'lines' | 'conversions'
>;

/** The events of the people below, with their sum, and what was converted for the rule. */
interface FiringInputs {
  readonly inputs: readonly UpstreamEvent[];
  /** Null for a deal of the rep. */
  readonly earned: Decimal | null;
  readonly conversions: readonly FiringConversion[];
}

interface ResultCollector {
  readonly decisions: Decision[];
  readonly blocked: BlockedChange[];
  readonly outcomes: Outcome[];
  readonly credits: Map<string, Decimal>;
}

/** Comparisons between two steps: a few milliseconds. */
const costPerStep = 5_000;
/** Lines of deals between two steps. */
const linesPerStep = 5_000;

/**
 * Calculates one plan of one rep: finds every rule that fires, respects fixed rows and frozen periods, and pays in
 * close order.
 */
export class PlanCalculation implements WalkListener {
  private readonly walk: CloseOrderWalk;
  private readonly numbers = new NumberReader();
  private readonly fixedByKey = new Map<string, FixedEvent>();
  private readonly dealsPerStep: number;
  private readonly quotas: PlanQuotas;
  private readonly rates: PlanRates;
  private readonly refunds: PlanRefunds;
  /** Unconverted. */
  private readonly refundedDeals = new Map<string, Deal>();

  constructor(
    private readonly input: RepInput,
    private readonly plan: AssignedPlan,
    private readonly result: ResultCollector,
  ) {
    const converts = input.refunds !== undefined || plan.versions.some(({ fx }) => fx !== null);
    this.walk = new CloseOrderWalk((key, period) => input.peerCredits(plan.planId, key, period), this, converts);
    this.quotas = new PlanQuotas(input, plan);
    this.rates = new PlanRates(input, this.quotas);
    this.refunds = new PlanRefunds(input, plan.planId);
    const maxCost = Math.max(1, ...plan.versions.map(({ cost }) => cost));
    this.dealsPerStep = Math.max(1, Math.floor(costPerStep / maxCost));
    for (const fixed of input.fixed) {
      if (fixed.planId === plan.planId) this.fixedByKey.set(`${fixed.ruleName}|${fixed.dealKey}`, fixed);
    }
    for (const carried of input.carried ?? []) if (carried.planId === plan.planId) this.walk.carry(carried);
  }

  *run(deals: readonly Candidate[]): Generator<void, void> {
    let fired = 0;
    let readLines = 0;
    for (const candidate of deals) {
      const { deal } = candidate;
      if (deal.refunds !== undefined) this.refundedDeals.set(deal.dealId, deal);
      this.fireDeal(candidate);
      fired += 1;
      readLines += deal.lines?.length ?? 0;
      if (fired % this.dealsPerStep !== 0 && readLines < linesPerStep) continue;
      readLines = 0;
      yield;
    }
    this.addRemainingFixed((fixed) => fixed.phase !== 'periodic' && !isRefundKey(fixed.dealKey));
    for (const planned of this.refunds.plan()) this.enterRefund(planned);
    this.addRemainingFixed((fixed) => fixed.phase !== 'periodic');
    yield* this.walk.advance();
    yield* this.firePeriodicRules();
    this.addRemainingFixed((fixed) => fixed.phase === 'periodic');
    yield* this.walk.advance();
    for (const [key, credit] of this.walk.credits()) this.result.credits.set(`${this.plan.planId}|${key}`, credit);
  }

  decided(entry: Entry, firing: Firing, payout: Payout): void {
    const { rule } = firing.rule;
    const { version } = firing.version;
    const category = payout.isBonus ? 'bonus' : 'commission';
    const trace = encodeTrace(payout, firing);
    this.refunds.complete(rule.name, entry.dealKey, category, () => ({
      amount: payout.amount,
      cutOff: payout.cutOff,
      inputs: rule.executionPhase === 'cascade' ? decodeInputs(trace) : null,
      lines: payout.lines === null ? null : toRawAmounts(payout.lines.filter(({ isCounted }) => isCounted)),
    }));
    this.result.decisions.push({
      planId: this.plan.planId,
      planVersionId: version.planVersionId,
      ruleId: rule.id,
      ruleName: rule.name,
      phase: rule.executionPhase,
      dealKey: entry.dealKey,
      category,
      amount: payout.amount,
      base: payout.base,
      credit: entry.credit,
      tierName: payout.tierName,
      attainmentKey: entry.key,
      currency: version.currency,
      period: entry.period,
      earnedOn: entry.day,
      share: formatShare(firing.share),
      cutOff: payout.cutOff,
      trace,
    });
    if (this.explains(entry.dealKey))
      this.result.outcomes.push({
        ...outcome(entry.dealKey, firing.version, firing.rule, payout.reason),
        paid: !payout.amount.isZero(),
        amount: payout.amount,
      });
  }

  /** Reports a frozen row that would be paid differently now; the row stays. */
  fixed(entry: Entry, fixed: FixedEvent, firing: Firing | null, payout: Payout | null): void {
    if (firing === null || payout === null) return;
    const same =
      payout.amount.equals(fixed.amount) &&
      firing.credit.equals(fixed.credit) &&
      payout.base.equals(fixed.base) &&
      payout.tierName === fixed.tierName;
    if (!same && fixed.kind === 'frozen') this.result.blocked.push(toBlockedChange(this.input, fixed, 'change'));
    if (this.explains(entry.dealKey)) {
      this.result.outcomes.push({
        ...outcome(entry.dealKey, firing.version, firing.rule, explainFixed(fixed, payout)),
        paid: !fixed.amount.isZero(),
        amount: fixed.amount,
      });
    }
  }

  /** Takes back what the walk has pay, or reports a frozen row that would take back something else. */
  refunded(
    entry: Entry,
    planned: PlannedRefund,
    credit: { readonly before: Decimal; readonly after: Decimal },
  ): Decimal {
    const taken = this.refunds.takeBack(planned);
    const { fixed } = entry;
    if (fixed === null) this.result.decisions.push(this.toRefundDecision(entry, planned, taken, credit));
    else if (fixed.kind === 'frozen' && !isSameRefund(fixed, planned, taken))
      this.result.blocked.push(toBlockedChange(this.input, fixed, 'change'));
    const amount = fixed?.amount ?? taken.amount;
    this.explainRefund(planned, reasonOfRefund(planned, amount), amount);
    return amount;
  }

  private toRefundDecision(
    entry: Entry,
    planned: PlannedRefund,
    taken: TakenBack,
    { before, after }: { readonly before: Decimal; readonly after: Decimal },
  ): Decision {
    const { source, link } = planned;
    const { rule } = source.terms;
    const target = this.quotas.findQuota({ rule, key: entry.key }, entry.period)?.target ?? null;
    const inputs = rule.executionPhase === 'cascade' ? source.chain.below(link.dealKey) : [];
    const values = { measure: taken.of, base: taken.of, credit: entry.credit, before, after, target, raw: taken.raw };
    const none = {
      tierIndex: null,
      tierName: null,
      tierValue: null,
      rank: null,
      periodCredit: null,
      isBelowZero: false,
    };
    const noTerms = {
      proration: null,
      ratePercent: null,
      share: null,
      lookups: [],
      lines: null,
      parts: [],
      limits: [],
    };
    const reason = reasonOfRefund(planned, taken.amount);
    const trace = { ...values, amount: taken.amount, ...none, ...noTerms, reason };
    return {
      planId: this.plan.planId,
      planVersionId: source.planVersionId,
      ruleId: rule.id,
      ruleName: rule.name,
      phase: rule.executionPhase,
      dealKey: entry.dealKey,
      category: source.category,
      amount: taken.amount,
      base: taken.of,
      credit: entry.credit,
      tierName: null,
      attainmentKey: entry.key,
      currency: source.currency,
      period: entry.period,
      earnedOn: entry.day,
      share: formatTakenShare(planned, taken),
      cutOff: Decimal.zero,
      trace: encodeTrace(trace, { upstream: inputs, seen: [], conversions: [], formulas: [], refund: taken.parts }),
    };
  }

  /** Adds a refund to the walk unless an approved period blocks it. */
  private enterRefund(planned: PlannedRefund): void {
    const { source, link } = planned;
    const { rule } = source.terms;
    const { day, dealKey } = link;
    if (!isWithin(day, this.input.window)) return;
    if (link.reason !== null) return this.explainRefund(planned, link.reason);
    const period = this.quotas.calendar.findPeriod(day, rule.attainmentPeriod, rule.calendar);
    if (period === null) return this.explainRefund(planned, 'no_fiscal_period');
    const fixed = this.consumeFixed(rule.name, dealKey);
    const frozen = this.frozenOn(day);
    if (fixed?.kind === 'owned') {
      this.result.blocked.push(toBlockedChange(this.input, fixed, 'insert'));
      return this.explainRefund(planned, 'statement_locked');
    }
    if (fixed?.kind === 'frozen') {
      const stays = fixed.earnedOn === day;
      if (!stays) this.result.blocked.push(toBlockedChange(this.input, fixed, 'change'));
      if (!stays) this.explainRefund(planned, 'statement_locked');
      return this.addFixed(fixed, null, stays ? planned : null);
    }
    if (frozen !== undefined) {
      const { planId } = this.plan;
      this.result.blocked.push({ period: frozen, planId, ruleName: rule.name, dealKey, change: 'insert' });
      return this.explainRefund(planned, 'statement_locked');
    }
    this.walk.add({
      day,
      dealKey,
      position: 0,
      period,
      key: source.attainmentKey,
      ruleName: rule.name,
      credit: link.credit,
      firing: null,
      fixed: null,
      refund: {
        planned,
        isOfPeriod: this.isOfPeriod(source.chain.earnedOn, period),
        computeCutOff: () => this.refunds.takeBack(planned).cutOff,
      },
    });
  }

  private isOfPeriod(sourceDay: Day | null, period: Period): boolean {
    const range = this.quotas.calendar.findRange(period);
    return sourceDay !== null && range !== null && isWithin(sourceDay, range);
  }

  private explainRefund({ source, link }: PlannedRefund, reason: Reason | null, amount = Decimal.zero): void {
    if (!this.explains(source.chain.deal.dealId)) return;
    const { rule } = source.terms;
    const ids = { planId: this.plan.planId, planVersionId: source.planVersionId, ruleId: rule.id, ruleName: rule.name };
    const paid = !amount.isZero();
    this.result.outcomes.push({ ...outcome(link.dealKey, null, null, reason), ...ids, paid, amount });
  }

  private fireDeal({ deal, upstream }: Candidate): void {
    const day = deal.closeDate;
    const version = this.versionOn(day, upstream === null ? deal.dealId : null);
    if (version === null) return;
    const phase = upstream === null ? 'per_deal' : 'cascade';
    if (version.fx !== null) return this.fireConverted(version, version.fx, phase, { deal, upstream });
    const isPassing = version.dealConditions.passes(deal, day);
    const seen = isPassing ? version.dealConditions.seen(deal, day) : [];
    for (const rule of version.rules) {
      if (rule.rule.executionPhase !== phase) continue;
      const dateReason = this.quotas.reasonAgainst(rule, day);
      if (dateReason !== null) this.skip(version, rule, deal.dealId, dateReason);
      else if (!isOfCurrency(rule, deal, version)) this.skip(version, rule, deal.dealId, 'currency_mismatch');
      else if (isPassing) this.fireRule(version, rule, { deal, upstream, seen, fx: null });
    }
    if (!isPassing) this.skipForConditions(version, phase, deal);
  }

  /** In a plan that converts, each rule sees the deal at the rates of its own day. */
  private fireConverted(
    version: CompiledVersion,
    fx: CompiledFx,
    phase: 'per_deal' | 'cascade',
    { deal: unconverted, upstream }: Candidate,
  ): void {
    const { dealId, closeDate: day } = unconverted;
    for (const rule of version.rules) {
      if (rule.rule.executionPhase !== phase) continue;
      const dateReason = this.quotas.reasonAgainst(rule, day);
      if (dateReason !== null) {
        this.skip(version, rule, dealId, dateReason);
        continue;
      }
      const { deal, missing, ...converted } = this.rates.convert(fx, rule, unconverted);
      const { dealConditions } = version;
      if (!dealConditions.mayPass(deal, day, missing))
        this.skip(version, rule, dealId, 'deal_condition_failed', () => dealConditions.explain(deal, day));
      else if (missing.length === 0)
        this.fireRule(version, rule, { deal, upstream, seen: dealConditions.seen(deal, day), fx: converted });
      else if (rule.conditions.mayPass(deal, day, missing))
        this.skip(version, rule, dealId, 'fx_rate_missing', undefined, missing);
      else this.skip(version, rule, dealId, 'rule_condition_failed', () => rule.conditions.explain(deal, day));
    }
  }

  private fireRule(version: CompiledVersion, rule: CompiledRule, passing: PassingDeal): void {
    const { deal, upstream, seen } = passing;
    const day = deal.closeDate;
    if (!rule.conditions.passes(deal, day)) {
      return this.skip(version, rule, deal.dealId, 'rule_condition_failed', () => rule.conditions.explain(deal, day));
    }
    const read = this.readUpstream(version, rule, passing);
    if (typeof read === 'string') return this.skip(version, rule, deal.dealId, read);
    const { inputs, earned, conversions } = read;
    const share =
      upstream === null ? computeShare(deal, this.input.repId, rule.countedLines) : computeTeamShare(inputs);
    if (share === null) return this.skip(version, rule, deal.dealId, 'no_credit');
    const period = this.quotas.findPeriod(rule, day) as Period;
    const quota = this.quotas.findQuota(rule, period);
    const values = this.readValues(version, rule, passing, { quota, earned });
    if (values === null) return;
    const { lines, conversions: ofLines } = values;
    const { measure, credit, base } = applyShare(rule, values, share);
    // The fields are listed, because spreads took a quarter of the time of a firing.
    const firing: Firing = {
      version,
      rule,
      measure,
      credit,
      base,
      tierValue: values.tierValue,
      tierValueAbsence: values.tierValueAbsence,
      isCreditNote: values.isCreditNote,
      quota,
      rampRate: this.quotas.rampRateOn(day),
      share,
      lines: lines === null ? null : shareLines(lines, share),
      source: deal,
      facts: this.factsOn(day),
      seen: seen.concat(rule.conditions.seen(deal, day)),
      upstream: inputs,
      conversions: ofLines.length === 0 ? conversions : [...conversions, ...ofLines],
      formulas: rule.formulas.map((formula) => readFormula(formula, deal)),
    };
    const refunded = this.refundedDeals.get(deal.dealId);
    if (this.enter(day, deal.dealId, period, firing) && refunded !== undefined)
      this.refunds.addFiring(toRefundable(refunded, firing));
  }

  /** The values of a rule on a deal before the share; null, with the reason, if the rule does not fire. */
  private readValues(
    version: CompiledVersion,
    rule: CompiledRule,
    passing: PassingDeal,
    { quota, earned }: { readonly quota: EffectiveQuota | null; readonly earned: Decimal | null },
  ): FiringValues | null {
    const { deal } = passing;
    const counted = this.countLines(version, rule, passing);
    if ('reason' in counted) {
      this.skip(version, rule, deal.dealId, counted.reason, counted.conditions, counted.missing);
      return null;
    }
    const readNumber: ReadNumber = (field) => this.numbers.read(field, deal);
    const measure = counted.measure ?? (rule.measuresEarnings ? earned : readNumber(rule.readMeasure));
    if (measure === null) {
      const reason = absenceReason(rule.readMeasure(deal));
      this.skip(version, rule, deal.dealId, reason, undefined, [rule.rule.measure]);
      return null;
    }
    const mirrored = isCreditNote(rule, measure, deal);
    const base = counted.base ?? computeBase(rule, earned ?? measure, { quota, isCreditNote: mirrored }, readNumber);
    if (base === null) {
      this.skipWithoutBase(version, rule, deal.dealId, rule.readBase?.(deal));
      return null;
    }
    const readTierValue = rule.lines?.hasTiers === true ? null : rule.readTierValue;
    const tierValue = readTierValue === null ? null : readNumber(readTierValue);
    return {
      measure,
      credit: computeCredit(rule, measure, readNumber, counted.lines),
      base,
      isCreditNote: mirrored,
      tierValue,
      tierValueAbsence: explainAbsence(readTierValue, tierValue, deal),
      lines: counted.lines,
      conversions: counted.conversions,
    };
  }

  private countLines(
    { version, fx }: CompiledVersion,
    rule: CompiledRule,
    { deal }: PassingDeal,
  ): CountedDeal | UncountedDeal {
    if (rule.lines === null) return wholeDeal;
    return countLines(rule, rule.lines, deal, this.lineTerms(version, fx, rule, deal));
  }

  private lineTerms(
    { currency }: CompiledVersion['version'],
    fx: CompiledFx | null,
    rule: CompiledRule,
    deal: Deal,
  ): LineTerms {
    const convert = fx === null ? null : (line: DealLine) => this.rates.convertLine(fx, rule, deal, line);
    return { currency, convert };
  }

  /** The matching lines of a deal of a periodic rule, or why it does not count. */
  private matchLines(
    { version, fx }: CompiledVersion,
    rule: CompiledRule,
    deal: Deal,
    lastDay: Day,
  ): MatchedLines | UncountedDeal | null {
    if (rule.lines === null) return null;
    return matchLines(rule, rule.lines, deal, { ...this.lineTerms(version, fx, rule, deal), day: lastDay });
  }

  /** What keys of rate tables read of the person on a day of a deal. */
  private factsOn(day: Day): KeyFacts {
    const { person } = this.input;
    return {
      day,
      readPerson: (field) => (person === undefined ? undefined : readPerson(person, field, day)),
      readAttainment: () => null,
    };
  }

  /** The keys of a periodic rule may read the attainment of the period, under any rule of the version. */
  private factsOfPeriod({ rules }: CompiledVersion, own: CompiledRule, period: Period, lastDay: Day): KeyFacts {
    const readAttainment = (ruleName: string | null) => {
      const rule = ruleName === null ? own : rules.find((one) => one.rule.name === ruleName);
      const target = rule === undefined ? undefined : this.quotas.findQuota(rule, period)?.target;
      if (rule === undefined || target === undefined || target.isZero()) return null;
      return quotient(this.walk.periodCredit(rule.key, period), target);
    };
    return { ...this.factsOn(lastDay), readAttainment };
  }

  /** What the people below earned on the deal, in the currency of the plan; or why the rule does not fire. */
  private readUpstream(
    version: CompiledVersion,
    rule: CompiledRule,
    { upstream, fx }: PassingDeal,
  ): FiringInputs | Reason {
    const conversions = fx?.conversions ?? [];
    if (upstream === null) return { inputs: [], earned: null, conversions };
    const inputs = selectUpstream(rule, upstream, fx === null ? version.version.currency : null);
    if (inputs.length === 0) {
      const mixed = selectUpstream(rule, upstream, null).length > 0;
      return mixed ? 'currency_mismatch' : 'no_downstream_commission';
    }
    const summed = this.rates.sumEvents(version, inputs, fx?.on ?? null);
    if (summed === null) return 'fx_rate_missing';
    if (rule.lines !== null && inputs.every(({ amount }) => amount.isZero())) return 'no_downstream_commission';
    return { inputs, earned: summed.earned, conversions: [...conversions, ...summed.conversions] };
  }

  /** Adds a firing to the walk unless an approved period blocks it; returns whether it is paid. */
  private enter(day: Day, dealKey: string, period: Period, fired: Firing): boolean {
    const { rule } = fired.rule;
    // A periodic rule adds no credit to the group, whose deals have added theirs.
    const isInGroup = rule.executionPhase === 'periodic' && rule.quotaGroup !== undefined;
    const firing = isInGroup ? { ...fired, credit: Decimal.zero } : fired;
    const fixed = this.consumeFixed(rule.name, dealKey);
    const frozen = this.frozenOn(day);
    if (fixed?.kind === 'owned') {
      this.result.blocked.push(toBlockedChange(this.input, fixed, 'insert'));
      this.skip(firing.version, firing.rule, dealKey, 'statement_locked');
      return false;
    }
    if (fixed?.kind === 'frozen') {
      const stays = fixed.earnedOn === day;
      if (!stays) this.result.blocked.push(toBlockedChange(this.input, fixed, 'change'));
      this.addFixed(fixed, stays ? firing : null);
      if (!stays) this.skip(firing.version, firing.rule, dealKey, 'statement_locked');
      return false;
    }
    if (fixed?.kind === 'stopped') {
      this.addFixed(fixed, null);
      this.skip(firing.version, firing.rule, dealKey, 'plan_not_active');
      return false;
    }
    if (frozen !== undefined) {
      this.result.blocked.push({
        period: frozen,
        planId: this.plan.planId,
        ruleName: rule.name,
        dealKey,
        change: 'insert',
      });
      this.skip(firing.version, firing.rule, dealKey, 'statement_locked');
      return false;
    }
    this.walk.add({
      day,
      dealKey,
      position: firing.rule.position,
      period,
      key: firing.rule.key,
      ruleName: rule.name,
      credit: firing.credit,
      firing,
      fixed: null,
      refund: null,
    });
    return true;
  }

  private addFixed(fixed: FixedEvent, firing: Firing | null, planned: PlannedRefund | null = null): void {
    // The carried sums contain it.
    if (this.input.carried !== undefined && fixed.earnedOn < this.input.window.from) return;
    const refundOf = parseRefundKey(fixed.dealKey);
    if (refundOf === null) this.refunds.addFixed(fixed);
    this.walk.add({
      day: fixed.earnedOn,
      dealKey: fixed.dealKey,
      position: firing?.rule.position ?? Number.MAX_SAFE_INTEGER,
      period: fixed.period,
      key: fixed.attainmentKey,
      ruleName: fixed.ruleName,
      credit: fixed.credit,
      firing,
      fixed,
      refund: refundOf === null ? null : this.toFixedRefund(fixed, planned, refundOf.dealId),
    });
  }

  private toFixedRefund(
    { ruleName, period, share }: FixedEvent,
    planned: PlannedRefund | null,
    dealId: string,
  ): Entry['refund'] {
    const source = this.refunds.findSource(ruleName, dealId);
    return {
      planned,
      isOfPeriod: this.isOfPeriod(source?.earnedOn ?? null, period),
      computeCutOff: () => source?.cutOffTaken(parseShare(share ?? null).pay.negated()) ?? Decimal.zero,
    };
  }

  /** Fixed rows whose rule no longer fires still count where they were recorded. */
  private addRemainingFixed(ofPass: (fixed: FixedEvent) => boolean): void {
    for (const [key, fixed] of this.fixedByKey) {
      if (!ofPass(fixed)) continue;
      this.fixedByKey.delete(key);
      if (fixed.kind === 'owned') continue;
      if (fixed.kind === 'frozen') this.result.blocked.push(toBlockedChange(this.input, fixed, 'reverse'));
      this.addFixed(fixed, null);
    }
  }

  /** Periodic rules fire once for every period that has ended while the rep was on the plan, with or without deals. */
  private *firePeriodicRules(): Generator<void, void> {
    for (const calendar of calendarNames)
      for (const kind of periodKinds) {
        const isOfKind = (rule: CompiledRule) => isPeriodicOf(rule, kind, calendar);
        const isUsed = this.plan.versions.some((version) => version.rules.some(isOfKind));
        if (!isUsed) continue;
        for (const period of this.quotas.calendar.periodsTouching(this.periodicWindow(), kind, calendar))
          yield* this.fireRulesOfPeriod(period, isOfKind);
      }
  }

  private *fireRulesOfPeriod(period: Period, isOfKind: (rule: CompiledRule) => boolean): Generator<void, void> {
    const range = this.quotas.calendar.findRange(period) as DayRange;
    const version = this.versionOn(range.to, null);
    if (version === null) return;
    for (const rule of version.rules) {
      if (!isOfKind(rule)) continue;
      const days = intersection(range, ruleDays(rule, range));
      if (days.from > days.to) this.skip(version, rule, period, 'outside_rule_dates');
      else if (range.to >= this.input.asOf) this.skip(version, rule, period, 'period_not_ended');
      else yield* this.firePeriodic(version, rule, { period, lastDay: range.to, days });
    }
  }

  private *firePeriodic(
    version: CompiledVersion,
    rule: CompiledRule,
    { period, lastDay: day, days }: { readonly period: Period; readonly lastDay: Day; readonly days: DayRange },
  ): Generator<void, void> {
    const deals = yield* this.selectDealsInPeriod(version, rule, days, day);
    const quota = this.quotas.findQuota(rule, period);
    const of = summedFields(rule, deals);
    const pay: ReadNumber = (field) => sumOver(of(field), 'pay', field);
    const credited = (field: ReadField) => sumOver(of(field), 'credit', field);
    const measure = pay(rule.readMeasure) as Decimal;
    const summed = { quota, isCreditNote: false };
    const base = computeBase(rule, measure, summed, pay);
    if (base === null) return this.skipWithoutBase(version, rule, period);
    this.enter(day, period, period, {
      version,
      rule,
      measure,
      credit: computeCredit(rule, credited(rule.readMeasure), credited),
      base,
      tierValue: rule.readTierValue === null ? null : credited(rule.readTierValue),
      tierValueAbsence: null,
      ...summed,
      rampRate: this.quotas.rampRateOn(day),
      share: wholeShare,
      lines: null,
      source: null,
      facts: this.factsOfPeriod(version, rule, period, day),
      seen: [],
      upstream: [],
      conversions: sumConversions(deals),
      formulas: [],
    });
  }

  /** The deals of the days that pass the conditions of a periodic rule, read on the last day of the period. */
  private *selectDealsInPeriod(
    version: CompiledVersion,
    rule: CompiledRule,
    days: DayRange,
    lastDay: Day,
  ): Generator<void, PeriodicDeal[]> {
    const passing: PeriodicDeal[] = [];
    const closed = this.input.deals.filter((deal) => isWithin(deal.closeDate, days));
    for (const [index, deal] of closed.entries()) {
      const share = computeShare(deal, this.input.repId, rule.countedLines);
      const read = share === null ? null : this.readPeriodicDeal(version, rule, deal, lastDay);
      if (share !== null && read !== null) passing.push({ ...read, share });
      if (index % this.dealsPerStep === 0) yield;
    }
    return passing;
  }

  /** The deal as a periodic rule counts it; null if it does not count. */
  private readPeriodicDeal(
    version: CompiledVersion,
    rule: CompiledRule,
    deal: Deal,
    lastDay: Day,
  ): Omit<PeriodicDeal, 'share'> | null {
    const { fx, dealConditions } = version;
    const unconverted = { deal, conversions: [], missing: [] };
    const read = fx === null ? unconverted : this.rates.convert(fx, rule, deal);
    const counts =
      isOfCurrency(rule, deal, version) &&
      dealConditions.mayPass(read.deal, lastDay, read.missing) &&
      rule.conditions.mayPass(read.deal, lastDay, read.missing);
    if (counts && read.missing.length > 0)
      this.skip(version, rule, deal.dealId, 'fx_rate_missing', undefined, read.missing);
    if (!counts || read.missing.length > 0) return null;
    const matched = this.matchLines(version, rule, read.deal, lastDay);
    if (matched === null || !('reason' in matched)) return { ...read, ...matched };
    this.skip(version, rule, deal.dealId, matched.reason, matched.conditions, matched.missing);
    return null;
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
    if (version === null && explainedDeal !== null && this.explains(explainedDeal)) {
      const reason =
        this.plan.assignments.length === 0
          ? 'no_assignment'
          : this.plan.versions.length === 0
            ? 'plan_not_active'
            : 'outside_effective_dates';
      this.result.outcomes.push({ ...outcome(explainedDeal, null, null, reason), planId: this.plan.planId });
    }
    return version;
  }

  private consumeFixed(ruleName: string, dealKey: string): FixedEvent | undefined {
    if (this.fixedByKey.size === 0) return undefined;
    const key = `${ruleName}|${dealKey}`;
    const fixed = this.fixedByKey.get(key);
    this.fixedByKey.delete(key);
    return fixed;
  }

  private frozenOn(day: Day): Period | undefined {
    return this.input.frozen.find(({ range }) => isWithin(day, range))?.period;
  }

  /** The deal fails the conditions of the plan. Rules in another currency are skipped for that. */
  private skipForConditions(version: CompiledVersion, phase: 'per_deal' | 'cascade', deal: Deal): void {
    if (!this.explains(deal.dealId)) return;
    // One list for all rules: the conditions of the plan are explained once for each deal.
    const explained = version.dealConditions.explain(deal, deal.closeDate);
    for (const rule of version.rules)
      if (
        rule.rule.executionPhase === phase &&
        this.quotas.reasonAgainst(rule, deal.closeDate) === null &&
        isOfCurrency(rule, deal, version)
      )
        this.skip(version, rule, deal.dealId, 'deal_condition_failed', () => explained);
  }

  private skipWithoutBase(version: CompiledVersion, rule: CompiledRule, dealKey: string, value?: FieldValue): void {
    const { payoutBase } = rule.rule;
    if (payoutBase === 'variable_target') return this.skip(version, rule, dealKey, 'variable_target_missing');
    this.skip(version, rule, dealKey, absenceReason(value), undefined, [payoutBase ?? rule.rule.measure]);
  }

  private skip(
    version: CompiledVersion,
    rule: CompiledRule,
    dealKey: string,
    reason: Reason,
    conditions: () => ConditionTrace[] = () => [],
    missing: readonly string[] = [],
  ): void {
    if (!this.explains(dealKey)) return;
    this.result.outcomes.push({ ...outcome(dealKey, version, rule, reason), conditions: conditions(), missing });
  }

  private explains(dealKey: string): boolean {
    return isExplained(this.input.explain, dealKey);
  }
}

function toRefundable(deal: Deal, { version, rule, credit, upstream, lines }: Firing): Refundable {
  const { planVersionId, currency } = version.version;
  const inputs = rule.rule.executionPhase === 'cascade' ? upstream : null;
  return {
    planVersionId,
    terms: rule,
    attainmentKey: rule.key,
    currency,
    deal,
    earnedOn: deal.closeDate,
    credit,
    inputs,
    lines: lines === null ? null : lines.filter(({ reason }) => reason === null).map(toRefundedLine),
  };
}

function toRefundedLine({ line, credit }: FiringLine): RefundedLine {
  return { lineId: line.lineId, net: asNumber(line.amount), credit };
}

/** Why nothing is taken back; a refund that earlier ones have limited takes back less. */
function reasonOfRefund({ link }: PlannedRefund, amount: Decimal): Reason | null {
  return link.part.isLimited || (amount.isZero() && link.part.refunded.isZero()) ? 'refund_limited' : null;
}

function isSameRefund(fixed: FixedEvent, { link }: PlannedRefund, taken: TakenBack): boolean {
  return fixed.amount.equals(taken.amount) && fixed.credit.equals(link.credit);
}

/** What a refund takes back of the deal: of the credit, and of the pay. */
function formatTakenShare({ link }: PlannedRefund, { share }: TakenBack): string {
  const { refunded, of } = link.part;
  const credit = link.countsCredit ? quotient(refunded, of) : Decimal.zero;
  return `${credit.negated()} ${share.negated()}`;
}

/** Why a rule has no tier value; null if it has one, or if it needs none. */
function explainAbsence(read: ReadField | null, tierValue: Decimal | null, deal: Deal): Reason | null {
  return read === null || tierValue !== null ? null : absenceReason(read(deal));
}

/** Why an approved row pays nothing: the reason of now if it would pay nothing now as well, otherwise its approval. */
function explainFixed(fixed: FixedEvent, payout: Payout): Reason | null {
  if (!fixed.amount.isZero()) return null;
  return payout.amount.isZero() ? payout.reason : 'statement_locked';
}

export function outcome(
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

export function toBlockedChange(input: RepInput, fixed: FixedEvent, change: BlockedChange['change']): BlockedChange {
  const containing = input.frozen.find(({ range }) => isWithin(fixed.earnedOn, range))?.period;
  const period = fixed.frozenPeriod ?? containing ?? fixed.period;
  return { period, planId: fixed.planId, ruleName: fixed.ruleName, dealKey: fixed.dealKey, change };
}

function isPeriodicOf({ rule }: CompiledRule, kind: PeriodKind, calendar: CalendarName): boolean {
  return (
    rule.executionPhase === 'periodic' && rule.attainmentPeriod === kind && (rule.calendar ?? 'calendar') === calendar
  );
}

/** The days of the range on which the rule pays. */
function ruleDays({ rule }: CompiledRule, { from, to }: DayRange): DayRange {
  return { from: rule.effectiveStart ?? from, to: rule.effectiveEnd ?? to };
}

/** Whether the values that the rule pays on are in the plan's currency: amounts in two currencies are never mixed. */
function isOfCurrency(rule: CompiledRule, deal: Deal, { version }: CompiledVersion): boolean {
  for (const read of rule.readCurrencies) {
    const currency = read(deal);
    if (currency === version.currency || isAbsent(currency)) continue;
    if (comparable(String(currency)) !== version.currency.toLowerCase()) return false;
  }
  return true;
}
