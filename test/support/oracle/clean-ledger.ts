import { type DayRange, isEffective, isIn, kindOf, lastDayOf, nextPeriod, PERIOD_KINDS, periodOf } from './calendar.js';
import { allPass } from './conditions.js';
import { attainmentKey, type Config, canonical, effectiveTiers, type Rule, type Tier } from './config.js';
import { linesOf, type Share, shareIn, teamShare, WHOLE } from './credits.js';
import { type Amount, amount, ONE, rounded, sum, text, wholeSum, ZERO } from './decimal.js';
import {
  BOUND,
  countOf,
  currencyFits,
  dealAmountOf,
  numberFrom,
  planCurrency,
  readField,
  readNumber,
} from './fields.js';
import { fiscalKindOf, fiscalPeriods, periodDays, periodIn } from './fiscal.js';
import { type Exchange, exchangeOf, inPlanCurrency } from './fx.js';
import {
  baseOfLines,
  type CountedLine,
  counted,
  isOfLines,
  keysOf,
  lookedUp,
  matching,
  payOfRow,
  type RatePay,
  type SeenLine,
  sumOf,
  tableOf,
  tierOfLines,
  timesLine,
  timesUnits,
} from './lines.js';
import { type EffectiveQuota, effectiveQuota, rampRate } from './quota.js';
import { eventDay, isRefundId, ordered, refundId, refundRow } from './refunds.js';
import { isStoppedOn, versionOn } from './timeline.js';
import type {
  FrozenPeriod,
  LedgerRow,
  RowLine,
  World,
  WorldDeal,
  WorldPlan,
  WorldPlanVersion,
  WorldRefund,
} from './world.js';

export interface Calculation {
  /** The current rows of the ledger. */
  rows: LedgerRow[];
  /** The rows that count around them: those of a true-up replace the approved ones (section 9). */
  counted: LedgerRow[];
}

/** Section 1: the ledger as a function of its inputs, calculated from scratch. */
export function cleanLedger(world: World): LedgerRow[] {
  return calculated(world).rows;
}

export function calculated(world: World): Calculation {
  const configs = new Map<WorldPlanVersion, Config>();
  for (const plan of world.plans) {
    for (const version of plan.versions) configs.set(version, canonical(version.config));
  }

  // What a rep's rows need of other rows (cascade inputs, ranks, the whole period of a retroactive rule) is read from
  // the previous round. Credits never depend on amounts, so the rounds end: one per manager level, and a few more.
  const rounds = world.reps.length * 4 + 20;
  let counted: LedgerRow[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const previous = counted;
    const reps = world.reps.map((rep) => new RepLedger(world, configs, previous, rep.repId).calculate());
    counted = reps.flatMap((each) => each.counted).sort(byNaturalKey);
    if (JSON.stringify(counted) === JSON.stringify(previous))
      return { rows: reps.flatMap((each) => each.rows).sort(byNaturalKey), counted };
  }
  throw new Error('the rows still changed after the last round');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function byNaturalKey(a: LedgerRow, b: LedgerRow): number {
  return (
    compare(a.repId, b.repId) ||
    compare(a.planId, b.planId) ||
    compare(a.ruleName, b.ruleName) ||
    compare(a.dealId, b.dealId)
  );
}

/** A place in close order: a deal on a day, or the end of a period after all deals of its last day. */
interface Step {
  day: string;
  isPeriodEnd: boolean;
  /** Refunds follow the deals of their day. */
  isRefund: boolean;
  id: string;
}

/** A rule that fires, before its payout is calculated. */
interface Firing {
  plan: WorldPlan;
  version: WorldPlanVersion;
  rule: Rule;
  deal: WorldDeal | null;
  /** How many deals it is about: 1 or -1, or the shares of those of the period. */
  deals: Amount;
  /** Section 8a. */
  isCreditNote: boolean;
  dealId: string;
  day: string;
  key: string;
  period: string;
  credit: Amount;
  base: Amount;
  quota: EffectiveQuota | null;
  /** Always 1 for a periodic rule: the deals that it sums are shared one by one. */
  share: Share;
  /** The counted lines of a rule with lines, which are not shared; null where they only give the credit, or there are none. */
  lines: CountedLine[] | null;
  /** The counted lines that refunds take back, with their credit; null for an event that follows no lines. */
  credited: { line: CountedLine; credit: Amount }[] | null;
}

interface CreditSoFar {
  earlier: Amount[];
  sliceStart: Amount;
  after: Amount;
}

/** The tiers of a rule for one rep, and what a cumulative credit reaches. */
interface Scale {
  tiers: Tier[];
  target: Amount | null;
  isFlatRate: boolean;
  belowZero: Tier | null;
  reaches(tier: Tier, cumulative: Amount): boolean;
  reachedBy(cumulative: Amount): Tier | null;
}

function computeScale({ rule, version, quota, day }: Firing, repId: string): Scale {
  const tiers = effectiveTiers(rule, version, repId, day);
  const target = readTarget(quota);
  // Section 6, "No quota, or target 0", and its exception.
  const isFlatRate =
    rule.tierBy === 'attainment' &&
    rule.payoutMode !== 'rate_times_attainment' &&
    tiers.length === 1 &&
    tiers[0]?.minThreshold.isZero() === true;
  const reaches = (tier: Tier, cumulative: Amount): boolean =>
    isFlatRate || (target !== null && cumulative.gte(tier.minThreshold.times(target)));
  const lastReached = (cumulative: Amount): Tier | null =>
    tiers.filter((tier) => reaches(tier, cumulative)).at(-1) ?? null;
  // Section 7, "below zero".
  const atZero = rule.payoutMode === 'rate' ? lastReached(ZERO) : null;
  const belowZero = !isFlatRate && atZero?.flatAmount === null ? atZero : null;
  const reachedBy = (cumulative: Amount): Tier | null =>
    cumulative.lt(0) && !isFlatRate ? belowZero : lastReached(cumulative);
  return { tiers, target, isFlatRate, belowZero, reaches, reachedBy };
}

interface ProcessedFiring {
  step: number;
  row: LedgerRow;
}

class RepLedger {
  private readonly processed: ProcessedFiring[] = [];
  /** Rows of approved periods as they were approved. */
  private readonly approved: LedgerRow[];
  /** Rows of stopped days. */
  private readonly unchanged: LedgerRow[];
  /** Rows that the calculation does not change, at their recorded position. */
  private readonly fixed: LedgerRow[];

  constructor(
    private readonly world: World,
    private readonly configs: Map<WorldPlanVersion, Config>,
    private readonly previous: LedgerRow[],
    private readonly repId: string,
  ) {
    const storedRows = world.storedRows.filter((row) => row.repId === repId);
    this.approved = storedRows.filter((row) => this.isFrozen(row.earnedOn));
    this.unchanged = storedRows.filter((row) => !this.isFrozen(row.earnedOn) && this.isUnchanged(row));
    const periods = this.frozenPeriods();
    const replaced = periods.filter((each) => each.truedUp !== null);
    this.fixed = [
      ...this.approved.filter((row) => !replaced.some((each) => this.isInPeriod(row.earnedOn, each.period))),
      ...replaced.flatMap((each) => each.truedUp ?? []),
      ...this.unchanged,
    ];
  }

  private daysOf(period: string): DayRange {
    const days = periodDays(this.world, period);
    if (days === null) throw new Error(`not a period: ${period}`);
    return days;
  }

  private isInPeriod(day: string, period: string): boolean {
    return isIn(day, this.daysOf(period));
  }

  calculate(): Calculation {
    const written: LedgerRow[] = [];
    this.steps().forEach((step, position) => {
      const fixed = this.fixed.filter((row) => sameStep(this.toStep(row), step));
      const firings = this.firingsAt(step).filter((firing) => this.mayBeWritten(firing));
      const rows = step.isRefund ? this.refundsAt(step) : firings.map((firing) => this.toEvent(firing, firings, fixed));
      for (const row of [...fixed, ...rows]) this.processed.push({ step: position, row });
      written.push(...rows);
    });
    return {
      rows: [...this.approved, ...this.unchanged, ...written],
      counted: this.processed.map(({ row }) => row),
    };
  }

  // Section 9.

  private frozenPeriods(): FrozenPeriod[] {
    return this.world.frozen.filter((each) => each.repId === this.repId);
  }

  private isFrozen(day: string): boolean {
    return this.frozenPeriods().some((each) => this.isInPeriod(day, each.period));
  }

  /** The natural key of a row belongs to its approved period, whether it was approved there or came with a true-up. */
  private mayBeWritten({ plan: { planId }, rule, dealId, day }: Firing): boolean {
    return !this.isHeld({ planId, ruleName: rule.name, dealId }) && !this.isFrozen(day);
  }

  private isHeld({ planId, ruleName, dealId }: Pick<LedgerRow, 'planId' | 'ruleName' | 'dealId'>): boolean {
    return [...this.approved, ...this.fixed].some(
      (row) => row.planId === planId && row.ruleName === ruleName && row.dealId === dealId,
    );
  }

  /** Money model, section 6: one row for every counted row of the deal. */
  private refundsAt(step: Step): LedgerRow[] {
    return this.world.deals.flatMap((deal) =>
      ordered(deal)
        .filter(({ refundId: id }) => refundId(deal.dealId, id) === step.id)
        .flatMap((refund) =>
          this.processed
            .filter(({ row }) => row.dealId === deal.dealId && eventDay(refund, row.earnedOn) === step.day)
            .flatMap(({ row }) => this.refundOf(row, deal, refund.refundId) ?? [])
            .filter((row) => !this.isHeld(row) && !this.isFrozen(row.earnedOn)),
        ),
    );
  }

  private refundOf(row: LedgerRow, deal: WorldDeal, id: string): LedgerRow | null {
    const found = this.findRule(row);
    if (found === null || found.rule.phase === 'periodic') return null;
    const { rule, version } = found;
    const day = eventDay(ordered(deal).find((refund) => refund.refundId === id) as WorldRefund, row.earnedOn);
    const closeDate = deal.closeDate ?? row.earnedOn;
    const source = {
      row,
      rule,
      deal,
      inputs: rule.phase === 'cascade' ? this.cascadeInputs(rule, deal, closeDate, version) : [],
      weigh: ({ amount: value, currency }: LedgerRow) =>
        inPlanCurrency(this.world, version, rule, { value: amount(value), currency, closeDate }) ?? amount(value),
      takenBelow: (refund: string) =>
        this.previous.filter((each) => each.repId !== this.repId && each.dealId === refundId(deal.dealId, refund)),
    };
    return refundRow(this.world, source, id, periodIn(this.world, rule.calendar, rule.attainmentPeriod, day));
  }

  private findRule(row: LedgerRow): { rule: Rule; version: WorldPlanVersion } | null {
    for (const [version, config] of this.configs) {
      const rule = config.rules.find((each) => each.name === row.ruleName);
      if (version.planVersionId === row.planVersionId && rule !== undefined) return { rule, version };
    }
    return null;
  }

  /** Section 3: events earned before a day was stopped stay unchanged while their deal exists. */
  private isUnchanged(row: LedgerRow): boolean {
    const plan = this.world.plans.find((each) => each.planId === row.planId);
    if (plan === undefined || !isStoppedOn(plan, row.earnedOn)) return false;
    return this.findPhase(row) === 'periodic' || this.world.deals.some((deal) => deal.dealId === row.dealId);
  }

  private findPhase(row: LedgerRow): Rule['phase'] {
    for (const [version, config] of this.configs) {
      if (version.planVersionId !== row.planVersionId) continue;
      const rule = config.rules.find((each) => each.name === row.ruleName);
      if (rule !== undefined) return rule.phase;
    }
    return (kindOf(row.dealId) ?? fiscalKindOf(row.dealId)) === null ? 'per_deal' : 'periodic';
  }

  private toStep(row: LedgerRow): Step {
    const isPeriodEnd = this.findPhase(row) === 'periodic';
    return { day: row.earnedOn, isPeriodEnd, isRefund: isRefundId(row.dealId), id: row.dealId };
  }

  // Section 6, close order; section 8, the place of periodic events.

  private steps(): Step[] {
    const steps: Step[] = this.fixed.map((row) => this.toStep(row));
    for (const deal of this.world.deals) {
      if (deal.closeDate !== null)
        steps.push({ day: deal.closeDate, isPeriodEnd: false, isRefund: false, id: deal.dealId });
      const days = [
        ...this.fixed.filter((row) => row.dealId === deal.dealId).map((row) => row.earnedOn),
        deal.closeDate,
      ];
      for (const refund of ordered(deal))
        for (const day of days)
          if (day !== null)
            steps.push({
              day: eventDay(refund, day),
              isPeriodEnd: false,
              isRefund: true,
              id: refundId(deal.dealId, refund.refundId),
            });
    }
    for (const period of this.endedPeriods()) {
      steps.push({ day: this.daysOf(period).last, isPeriodEnd: true, isRefund: false, id: period });
    }
    steps.sort(
      (a, b) =>
        compare(a.day, b.day) ||
        Number(a.isPeriodEnd) - Number(b.isPeriodEnd) ||
        Number(a.isRefund) - Number(b.isRefund) ||
        compare(a.id, b.id),
    );
    return steps.filter((step, index) => index === 0 || !sameStep(step, steps[index - 1] as Step));
  }

  // An assignment without a start is open, so the earliest day of the world bounds it.
  private endedPeriods(): string[] {
    const { world } = this;
    const days = [
      ...world.deals.map((deal) => deal.closeDate),
      ...world.assignments.map((assignment) => assignment.effectiveStart),
      ...world.plans.flatMap((plan) => plan.versions.map((version) => version.effectiveStart)),
      ...world.quotas.map((quota) => periodDays(world, quota.period)?.first ?? null),
      ...world.frozen.map((each) => periodDays(world, each.period)?.first ?? null),
      ...world.storedRows.map((row) => row.earnedOn),
    ].filter((day) => day !== null);
    const first = days.sort(compare)[0];
    if (first === undefined) return [];
    const periods: string[] = [];
    for (const kind of PERIOD_KINDS) {
      for (let period = periodOf(kind, first); lastDayOf(period) < world.asOf; period = nextPeriod(period)) {
        periods.push(period);
      }
      periods.push(
        ...fiscalPeriods(world, kind).filter((period) => {
          const days = this.daysOf(period);
          return first <= days.last && days.last < world.asOf;
        }),
      );
    }
    return periods;
  }

  // Section 3.

  private plansOn(day: string): { plan: WorldPlan; version: WorldPlanVersion; rules: Rule[] }[] {
    return this.world.plans.flatMap((plan) => {
      const assigned = this.world.assignments.some(
        (each) =>
          each.repId === this.repId &&
          each.planId === plan.planId &&
          isEffective(day, each.effectiveStart, each.effectiveEnd),
      );
      const version = versionOn(plan, day);
      if (!assigned || version === null) return [];
      return [{ plan, version, rules: this.configOf(version).rules }];
    });
  }

  private configOf(version: WorldPlanVersion): Config {
    const config = this.configs.get(version);
    if (config === undefined) throw new Error(`no config of ${version.planVersionId}`);
    return config;
  }

  // Sections 4 to 6: which rules fire at a step, in the order of `rules`.

  private firingsAt(step: Step): Firing[] {
    if (step.isPeriodEnd) return this.periodicFirings(step.id);
    const deal = this.world.deals.find((each) => each.dealId === step.id && each.closeDate === step.day);
    if (deal === undefined || step.isRefund) return [];
    const people = linesOf(this.world, deal).flatMap((line) => line.repId ?? []);
    const isOwn = people.includes(this.repId);
    const descendants = this.descendantsOn(step.day);
    const isBelow = people.some((repId) => descendants.has(repId));
    return this.plansOn(step.day).flatMap(({ plan, version, rules }) =>
      rules.flatMap((rule) => {
        const concerned = (rule.phase === 'per_deal' && isOwn) || (rule.phase === 'cascade' && isBelow);
        const fires = concerned && isEffective(step.day, rule.effectiveStart, rule.effectiveEnd);
        const firing = fires ? this.dealFiring(plan, version, rule, deal, step.day) : null;
        return firing === null ? [] : [firing];
      }),
    );
  }

  private exchange(version: WorldPlanVersion, rule: Rule, deal: WorldDeal): Exchange | null {
    return exchangeOf(this.world, version, this.configOf(version), rule, deal, keysOf(this.world, rule));
  }

  private passes(version: WorldPlanVersion, rule: Rule, deal: WorldDeal, seenFrom: string): boolean {
    const exchange = this.exchange(version, rule, deal);
    const converted = (slug: string) => {
      const value = exchange?.read(slug);
      return value === undefined ? undefined : text(value);
    };
    const sight = { world: this.world, version, deal, seenFrom, converted };
    const paid = rule.lines === null ? paidFields(rule) : [];
    const isPayable = exchange === null ? currencyFits(this.world, version, deal, paid) : !exchange.isMissing;
    return isPayable && allPass(this.configOf(version).dealConditions, sight) && allPass(rule.conditions, sight);
  }

  private dealFiring(
    plan: WorldPlan,
    version: WorldPlanVersion,
    rule: Rule,
    deal: WorldDeal,
    day: string,
  ): Firing | null {
    if (!this.passes(version, rule, deal, day)) return null;
    const found = this.inputAndShare(version, rule, deal, day);
    if (found === null) return null;
    const { input, share } = found;

    const exchange = this.exchange(version, rule, deal);
    const lines = rule.lines === null ? null : this.countedLines(version, rule, deal);
    if (rule.lines !== null && lines === null) return null;
    const count = countOf(this.world, version, deal);
    const field = (slug: string): Amount | null => {
      if (lines !== null && isOfLines(slug)) return sumOf(lines, slug, count);
      return slug === '_deals' ? count : this.readNumber(version, deal, slug, exchange);
    };
    const measure = rule.measure === '_earned' ? input : field(rule.measure);
    if (measure === null) return null;

    const key = attainmentKey(rule);
    const period = periodIn(this.world, rule.calendar, rule.attainmentPeriod, day);
    if (period === null) return null;
    const quota = this.findQuota(plan, rule, period);
    const isCreditNote = this.isCreditNote(version, deal, measure);
    const wholeBase = this.computeBase(rule, input ?? measure, quota, field, isCreditNote);
    if (wholeBase === null) return null;

    const wholeCredit = this.computeCredit(rule, measure, field);
    // What the people below earned is already shared.
    const base = input !== null && rule.payoutBase === null ? wholeBase : wholeBase.times(share.ofPay);
    const isEarned = rule.measure === '_earned' && rule.quotaMeasure === null && rule.quotaCredit === null;
    const credit = isEarned ? wholeCredit : wholeCredit.times(share.ofCredit);
    const paidLines = baseOfLines(rule) === null ? null : lines;
    const credited = this.creditedLines(rule, lines, share, count);
    const amounts = { credit, base, quota, share, deals: count, isCreditNote, lines: paidLines, credited };
    return { plan, version, rule, deal, dealId: deal.dealId, day, key, period, ...amounts };
  }

  /** Lines, L24: a line's part of the credit. A manager follows the people below. */
  private creditedLines(rule: Rule, lines: CountedLine[] | null, share: Share, count: Amount): Firing['credited'] {
    if (lines === null || rule.phase === 'cascade') return null;
    return lines.map((line) => {
      const ofLine = (slug: string) => (isOfLines(slug) ? sumOf([line], slug, count) : ZERO);
      return { line, credit: this.computeCredit(rule, ofLine(rule.measure), ofLine).times(share.ofCredit) };
    });
  }

  private matchingLines(version: WorldPlanVersion, rule: Rule, deal: WorldDeal): SeenLine[] | null {
    const exchange = this.exchange(version, rule, deal);
    return matching({ world: this.world, version, rule, deal, exchange }, keysOf(this.world, rule));
  }

  /** Null: the rule does not fire. */
  private countedLines(version: WorldPlanVersion, rule: Rule, deal: WorldDeal): CountedLine[] | null {
    const found = this.matchingLines(version, rule, deal);
    if (found === null) return null;
    const exchange = this.exchange(version, rule, deal);
    const lines = counted({ world: this.world, version, rule, deal, exchange }, found);
    return lines.length === 0 ? null : lines;
  }

  /** Section 8a: a count is negative where the amount is. */
  private isCreditNote(version: WorldPlanVersion, deal: WorldDeal, measure: Amount): boolean {
    const ofDeal = dealAmountOf(this.world, version, deal) ?? ZERO;
    return (measure.lt(0) && ofDeal.lte(0)) || (measure.isZero() && ofDeal.lt(0));
  }

  /** Of a cascade rule what was earned below, otherwise no input; and the s. Null: the rule does not fire. */
  private inputAndShare(
    version: WorldPlanVersion,
    rule: Rule,
    deal: WorldDeal,
    day: string,
  ): { input: Amount | null; share: Share } | null {
    if (rule.phase !== 'cascade') {
      const share = shareIn(linesOf(this.world, deal), this.repId, rule);
      return share === null ? null : { input: null, share };
    }
    const inputs = this.cascadeInputs(rule, deal, day, version);
    // Lines, L20: where nothing was earned below, a rule with lines does not fire.
    const isEarned = inputs.some((row) => !amount(row.amount).isZero());
    if (rule.lines !== null && !isEarned) return null;
    const input = inputs.length === 0 ? null : this.sumInputs(version, rule, inputs, day);
    return input === null ? null : { input, share: teamShare(inputs) };
  }

  /** Section 4: numbers beyond the bound, also after the conversion, do not count. */
  private readNumber(
    version: WorldPlanVersion,
    deal: WorldDeal,
    slug: string,
    exchange: Exchange | null,
  ): Amount | null {
    const converted = exchange?.read(slug);
    if (converted === undefined) return readNumber(this.world, version, deal, slug);
    return converted.abs().gt(BOUND) ? null : converted;
  }

  /** Money model, section 2: inputs in other currencies are converted with the manager's plan and the deal's day. */
  private sumInputs(version: WorldPlanVersion, rule: Rule, inputs: LedgerRow[], closeDate: string): Amount | null {
    const values = inputs.map((row) =>
      inPlanCurrency(this.world, version, rule, { value: amount(row.amount), currency: row.currency, closeDate }),
    );
    return values.every((value) => value !== null) ? sum(values) : null;
  }

  /** Section 6, first bullet; section 4, "an absent quotaMeasure or quotaCredit field is credit 0". */
  private computeCredit(rule: Rule, measure: Amount, field: (slug: string) => Amount | null): Amount {
    if (rule.quotaCredit !== null) {
      return sum(rule.quotaCredit.map((part) => part.weight.times(field(part.field) ?? ZERO)));
    }
    if (rule.quotaMeasure !== null) return field(rule.quotaMeasure) ?? ZERO;
    return measure;
  }

  /** Section 8, step 1. */
  private computeBase(
    rule: Rule,
    usual: Amount,
    quota: EffectiveQuota | null,
    field: (slug: string) => Amount | null,
    isCreditNote: boolean,
  ): Amount | null {
    const sign = isCreditNote ? -1 : 1;
    if (rule.payoutBase === null) return usual;
    if (rule.payoutBase === 'variable_target') return quota?.variableTarget?.times(sign) ?? null;
    if (rule.payoutBase === '1') return amount(sign);
    return field(rule.payoutBase);
  }

  private findQuota(plan: WorldPlan, rule: Rule, period: string): EffectiveQuota | null {
    const key = attainmentKey(rule);
    const found = this.world.quotas.find(
      (quota) =>
        quota.repId === this.repId && quota.planId === plan.planId && quota.key === key && quota.period === period,
    );
    return found === undefined ? null : effectiveQuota(this.world, found, rule.quotaProration);
  }

  // Section 8, `executionPhase: periodic`.

  private periodicFirings(period: string): Firing[] {
    const { first, last: lastDay } = this.daysOf(period);
    const calendar = kindOf(period) === null ? 'fiscal' : 'calendar';
    const kind = kindOf(period) ?? fiscalKindOf(period);
    return this.plansOn(lastDay).flatMap(({ plan, version, rules }) =>
      rules
        .filter((rule) => rule.phase === 'periodic' && rule.calendar === calendar && rule.attainmentPeriod === kind)
        // Money model, section 7: a periodic rule fires for every period that its dates meet.
        .filter(
          ({ effectiveStart: start, effectiveEnd: end }) => (start ?? first) <= lastDay && (end ?? lastDay) >= first,
        )
        .flatMap((rule) => {
          const firing = this.periodicFiring(plan, version, rule, period, lastDay);
          return firing === null ? [] : [firing];
        }),
    );
  }

  private periodicFiring(
    plan: WorldPlan,
    version: WorldPlanVersion,
    rule: Rule,
    period: string,
    lastDay: string,
  ): Firing | null {
    const deals = this.world.deals.flatMap((deal) => {
      const share = shareIn(linesOf(this.world, deal), this.repId, rule);
      const isCounted =
        share !== null &&
        deal.closeDate !== null &&
        this.isInPeriod(deal.closeDate, period) &&
        isEffective(deal.closeDate, rule.effectiveStart, rule.effectiveEnd) &&
        this.passes(version, rule, deal, lastDay);
      if (!isCounted) return [];
      const lines = rule.lines === null ? [] : this.matchingLines(version, rule, deal);
      return lines === null ? [] : [{ deal, share, lines }];
    });
    const total =
      (of: keyof Share) =>
      (slug: string): Amount =>
        sum(
          deals.map(({ deal, share, lines }) => {
            const count = countOf(this.world, version, deal);
            if (rule.lines !== null && isOfLines(slug)) return share[of].times(sumOf(lines, slug, count));
            const exchange = this.exchange(version, rule, deal);
            return share[of].times(
              slug === '_deals' ? count : (this.readNumber(version, deal, slug, exchange) ?? ZERO),
            );
          }),
        );
    const key = attainmentKey(rule);
    const quota = this.findQuota(plan, rule, period);
    const base = this.computeBase(rule, total('ofPay')(rule.measure), quota, total('ofPay'), false);
    if (base === null) return null;
    const credit =
      rule.quotaGroup === null ? this.computeCredit(rule, total('ofCredit')(rule.measure), total('ofCredit')) : ZERO;
    const deal = null;
    const firing = { plan, version, rule, deal, dealId: period, day: lastDay, key, period, credit, base, quota };
    return {
      ...firing,
      deals: total('ofCredit')('_deals'),
      share: WHOLE,
      isCreditNote: false,
      lines: null,
      credited: null,
    };
  }

  // Section 10.

  private descendantsOn(day: string): Set<string> {
    const found = new Set<string>();
    let managers = [this.repId];
    while (managers.length > 0) {
      const below = this.world.reps.filter((rep) =>
        rep.lines.some((line) => managers.includes(line.managerId) && isEffective(day, line.from, line.to)),
      );
      managers = below.map((rep) => rep.repId).filter((repId) => repId !== this.repId && !found.has(repId));
      for (const repId of managers) found.add(repId);
    }
    return found;
  }

  private cascadeInputs(rule: Rule, deal: WorldDeal, day: string, version: WorldPlanVersion): LedgerRow[] {
    const converts = version.fx !== undefined && version.fx !== null;
    const currency = planCurrency(this.world, version);
    const descendants = this.descendantsOn(day);
    return this.previous.filter((row) => {
      if (!descendants.has(row.repId) || row.dealId !== deal.dealId) return false;
      // "Amounts of two currencies are never mixed" (section 4).
      if (!converts && row.currency !== currency) return false;
      const phase = this.findPhase(row);
      if (rule.dependsOn === null || rule.dependsOn === '_total') return phase === 'per_deal';
      return row.ruleName === rule.dependsOn && phase !== 'periodic';
    });
  }

  // Section 6, `before` and `after`.

  private underKey(firing: Firing): (row: LedgerRow) => boolean {
    return (row) =>
      row.planId === firing.plan.planId && row.attainmentKey === firing.key && row.period === firing.period;
  }

  /** The cumulative credit under the firing's key after each earlier deal that credited it. */
  private earlierCumulatives(firing: Firing): Amount[] {
    const concerned = this.processed.filter(({ row }) => this.underKey(firing)(row));
    const steps = [...new Set(concerned.map(({ step }) => step))].sort((a, b) => a - b);
    return steps.map((last) =>
      wholeSum(sum(concerned.filter(({ step }) => step <= last).map(({ row }) => amount(row.credit)))),
    );
  }

  // A fixed row of the same deal comes from a true-up: the deal was dated in an approved period once.
  private toEvent(firing: Firing, all: Firing[], fixed: LedgerRow[]): LedgerRow {
    const { plan, version, rule } = firing;
    const rules = this.configOf(version).rules.map((each) => each.name);
    const position = (name: string): number => rules.indexOf(name);
    const ofDeal = [
      ...all
        .filter((each) => each.plan === plan && each.key === firing.key && each.period === firing.period)
        .map((each) => ({ position: position(each.rule.name), credit: each.credit })),
      ...fixed
        .filter(this.underKey(firing))
        .map((row) => ({ position: position(row.ruleName), credit: amount(row.credit) })),
    ];
    const earlier = this.earlierCumulatives(firing);
    const before = earlier.at(-1) ?? ZERO;
    const earlierRules = ofDeal.filter((each) => each.position < position(rule.name));
    const sliceStart = wholeSum(before.plus(sum(earlierRules.map((each) => each.credit))));
    const after = wholeSum(before.plus(sum(ofDeal.map((each) => each.credit))));

    const currency = planCurrency(this.world, version);
    const payout = this.computePayout(firing, { earlier, sliceStart, after }, currency);
    return {
      repId: this.repId,
      dealId: firing.dealId,
      planId: plan.planId,
      planVersionId: version.planVersionId,
      ruleName: rule.name,
      amount: text(payout.amount),
      base: text(firing.base),
      credit: text(firing.credit),
      tierName: payout.tier?.name ?? null,
      category: payout.isBonus ? 'bonus' : 'commission',
      attainmentKey: firing.key,
      currency,
      period: firing.period,
      earnedOn: firing.day,
      ...toStoredShare(firing.share),
      ...(payout.cutOff.isZero() ? {} : { cutOff: text(payout.cutOff) }),
      ...(firing.credited === null ? {} : { lines: firing.credited.map((each) => toRowLine(each, payout.ofLines)) }),
    };
  }

  // Sections 7 and 8.

  private computePayout(
    firing: Firing,
    credit: CreditSoFar,
    currency: string,
  ): { amount: Amount; tier: Tier | null; isBonus: boolean; cutOff: Amount; ofLines: Map<CountedLine, Amount> } {
    const scale = computeScale(firing, this.repId);
    const tiers = this.tiersReached(firing, credit, scale);
    const [first = null] = tiers;
    const tier = tiers.every((each) => each === first) ? first : null;
    const reached = tiers.filter((each) => each !== null);
    const isBonus = reached.length > 0 && reached.every(({ flatAmount }) => flatAmount !== null);
    const { value, hasRate, ofLines = [] } = this.rawPay(firing, credit, scale, tiers);
    const factor = this.rateFactor(firing);
    const raw = value.times(factor);
    const paid = { tier, isBonus, ofLines: new Map(ofLines.map(([line, pay]) => [line, pay.times(factor)])) };
    // Section 4: a raw amount beyond the bound pays 0.
    if (raw.abs().gt(BOUND)) return { ...paid, amount: ZERO, cutOff: ZERO };
    // Step 3.
    if (this.isBelowFloorAttainment(firing, credit, scale.target)) return { ...paid, amount: ZERO, cutOff: ZERO };
    const uncapped = this.limited(firing, raw, reached.length > 0 && hasRate);
    const capped = this.capped(firing, uncapped);
    // Step 7.
    return {
      ...paid,
      amount: rounded(capped, currency),
      cutOff: isBonusOfPeriod(firing.rule) ? ZERO : uncapped.minus(capped),
    };
  }

  /** Money model, section 4: `ratePercent`. Bonuses of the period have one amount. */
  private rateFactor({ plan, rule, day }: Firing): Amount {
    if (rule.payoutMode !== 'rate' && rule.payoutMode !== 'flat_per_event') return ONE;
    return rampRate(this.world, this.repId, plan.planId, day);
  }

  /** One tier, or that of each line where each has its own. */
  private tiersReached(firing: Firing, credit: CreditSoFar, scale: Scale): (Tier | null)[] {
    if (firing.lines === null || !tierOfLines(firing.rule)) return [this.tierReached(firing, credit, scale)];
    const { lines, share } = firing;
    return lines.map(({ tierValue, base }) => {
      const isMirrored = tierValue?.lt(0) === true && base.times(share.ofPay).lt(0);
      return lastAtOrBelow(scale.tiers, isMirrored ? tierValue.abs() : tierValue);
    });
  }

  /** Lines, L14 to L16 and T9 to T11; without lines and tables, section 8. `hasRate`: a floor may count. */
  private rawPay(
    firing: Firing,
    credit: CreditSoFar,
    scale: Scale,
    tiers: (Tier | null)[],
  ): { value: Amount; hasRate: boolean; ofLines?: [CountedLine, Amount][] } {
    const { rule, lines } = firing;
    const [tier = null] = tiers;
    const isByTables = scale.tiers.some(({ table }) => table !== null);
    if (isBonusOfPeriod(rule) || (lines === null && !isByTables))
      return { value: this.rawAmount(firing, credit, scale, tier), hasRate: true };
    if (lines === null) return this.payOfDeal(firing, this.mix(firing, credit, scale, tier));
    const pays = lines.map((line, index) => {
      if (!tierOfLines(rule)) return this.payOfLine(firing, line, this.mix(firing, credit, scale, tier));
      const own = tiers[index] ?? null;
      return own === null ? null : this.payOfLine(firing, line, [{ tier: own, weight: ONE }]);
    });
    if (!tierOfLines(rule) && tier?.flatAmount != null && rule.lines?.flatPer === 'deal')
      return { value: this.rawAmount(firing, credit, scale, tier), hasRate: true };
    const ofLines = lines.map((line, index): [CountedLine, Amount] => [
      line,
      (pays[index] ?? ZERO).times(firing.share.ofPay),
    ]);
    return { value: sum(ofLines.map(([, pay]) => pay)), hasRate: pays.some((pay) => pay !== null), ofLines };
  }

  /** L14: a weight for each tier. */
  private mix(
    firing: Firing,
    { sliceStart, after }: CreditSoFar,
    { tiers, target, isFlatRate, belowZero, reachedBy }: Scale,
    tier: Tier | null,
  ): { tier: Tier; weight: Amount }[] {
    const { rule, credit } = firing;
    const only = (one: Tier | null, weight = ONE) => (one === null ? [] : [{ tier: one, weight }]);
    if (rule.payoutMode === 'rate_times_attainment') {
      const reached = rule.tierMode === 'retroactive' ? this.wholePeriodCredit(this.repId, firing) : after;
      return target === null ? [] : only(tier, reached.dividedBy(target));
    }
    const isFixed = tier !== null && tier.flatAmount !== null;
    if (rule.tierMode !== 'marginal' || isFlatRate || isFixed) return only(tier);
    if (target === null) return [];
    if (credit.isZero()) return only(reachedBy(sliceStart));
    const bands = buildBands(tiers, target, belowZero);
    // A fixed amount is paid by the tier reached only.
    const parts = tiers.flatMap((each, index) =>
      each.flatAmount === null
        ? [{ tier: each, weight: partIn(bands[index] as Band, credit, sliceStart).dividedBy(credit.abs()) }]
        : [],
    );
    return parts.filter(({ weight }) => !weight.isZero());
  }

  private payOfTable(firing: Firing, tier: Tier, line: CountedLine | null): RatePay | null {
    const table = tableOf(this.world, tier);
    const { deal, version, rule } = firing;
    if (table === null || deal === null) return null;
    const exchange = this.exchange(version, rule, deal);
    const ofDeal = (slug: string) => {
      const value = exchange?.read(slug);
      return value === undefined ? readField(this.world, version, deal, slug) : text(value);
    };
    return lookedUp(table, tier.column, firing.day, line?.read ?? ofDeal);
  }

  private payOfDeal(firing: Firing, mix: { tier: Tier; weight: Amount }[]): { value: Amount; hasRate: boolean } {
    const { base, share, isCreditNote } = firing;
    const pays = mix.map(({ tier, weight }) => {
      const fixed = (value: Amount) => value.times(share.ofPay).times(isCreditNote ? -1 : 1);
      if (tier.flatAmount !== null) return fixed(tier.flatAmount).times(weight);
      if (tier.table === null) return (tier.rate ?? ZERO).times(base).times(weight);
      const row = this.payOfTable(firing, tier, null);
      if (row === null) return null;
      return (row.kind === 'rate' ? row.value.times(base) : fixed(row.value)).times(weight);
    });
    const isMissing = pays.some((pay) => pay === null);
    return { value: isMissing ? ZERO : sum(pays.map((pay) => pay ?? ZERO)), hasRate: !isMissing };
  }

  /** What a line is paid, before the share; null if it lacks a row. Without a quantity that a tier of the mix pays by, nothing. */
  private payOfLine(firing: Firing, line: CountedLine, mix: { tier: Tier; weight: Amount }[]): Amount | null {
    const { rule, isCreditNote } = firing;
    const pays = mix.map(({ tier, weight }): Amount | 'no row' | null => {
      if (tier.flatAmount !== null) {
        const paid =
          rule.lines?.flatPer === 'unit'
            ? timesUnits(tier.flatAmount, line, isCreditNote)
            : timesLine(tier.flatAmount, line);
        return paid?.times(weight) ?? null;
      }
      if (tier.table === null) return (tier.rate ?? ZERO).times(line.base).times(weight);
      const row = this.payOfTable(firing, tier, line);
      return row === null ? 'no row' : (payOfRow(row, line, isCreditNote)?.times(weight) ?? null);
    });
    if (pays.includes('no row')) return null;
    return pays.includes(null) ? ZERO : sum(pays.map((pay) => pay as Amount));
  }

  /** Section 7: the tier reached. */
  private tierReached(firing: Firing, { earlier, after }: CreditSoFar, scale: Scale): Tier | null {
    const { rule } = firing;
    const { tiers } = scale;
    if (rule.tierBy === 'value') {
      const value = this.tierValue(firing);
      // Section 8a, 3.
      const isMirrored = firing.isCreditNote && firing.base.lt(0);
      return lastAtOrBelow(tiers, isMirrored ? (value?.abs() ?? null) : value);
    }
    if (rule.tierBy === 'rank') return lastAtOrBelow(tiers, this.computeRank(firing));
    if (rule.tierMode === 'retroactive') return scale.reachedBy(this.wholePeriodCredit(this.repId, firing));
    if (rule.payoutMode === 'stepped_bonus')
      return tiers.filter((tier) => [...earlier, after].some((each) => scale.reaches(tier, each))).at(-1) ?? null;
    if (!firing.isCreditNote || rule.payoutMode === 'rate_times_attainment' || isBonusOfPeriod(rule))
      return scale.reachedBy(after);
    // Section 8a, 2.
    const reachedBefore = scale.reachedBy(earlier.at(-1) ?? ZERO);
    const reachedAfter = scale.reachedBy(after);
    const isOneFixed = [reachedBefore, reachedAfter].some((tier) => tier !== null && tier.flatAmount !== null);
    return isOneFixed ? reachedBefore : reachedAfter;
  }

  /** Section 8, step 2. */
  private rawAmount(
    firing: Firing,
    { earlier, sliceStart, after }: CreditSoFar,
    { tiers, target, isFlatRate, belowZero, reaches, reachedBy }: Scale,
    tier: Tier | null,
  ): Amount {
    const { rule, base } = firing;
    if (rule.payoutMode === 'flat_per_tier') {
      const entered = tiers.filter((each) =>
        isFlatRate
          ? earlier.length === 0
          : reaches(each, after) && !earlier.some((cumulative) => reaches(each, cumulative)),
      );
      return sum(entered.map((each) => each.flatAmount ?? ZERO));
    }
    if (rule.payoutMode === 'stepped_bonus')
      return tier === null ? ZERO : (tier.flatAmount ?? ZERO).minus(this.paidSoFar(firing));
    if (rule.payoutMode === 'rate_times_attainment') return this.timesAttainment(firing, after, target, tier);
    if (tier !== null && tier.flatAmount !== null)
      return tier.flatAmount.times(firing.share.ofPay).times(firing.isCreditNote ? -1 : 1);
    if (rule.tierMode === 'marginal' && !isFlatRate)
      return marginal(buildBands(tiers, target, belowZero), base, firing.credit, sliceStart, reachedBy(sliceStart));
    return (tier?.rate ?? ZERO).times(base);
  }

  private timesAttainment(firing: Firing, after: Amount, target: Amount | null, tier: Tier | null): Amount {
    if (target === null || tier === null || tier.rate === null) return ZERO;
    const isWhole = firing.rule.tierMode === 'retroactive';
    const reached = isWhole ? this.wholePeriodCredit(this.repId, firing) : after;
    return tier.rate.times(firing.base).times(reached).dividedBy(target);
  }

  /** Section 8, step 3. */
  private isBelowFloorAttainment(firing: Firing, { earlier, after }: CreditSoFar, target: Amount | null): boolean {
    const { floorAttainment, tierMode } = firing.rule;
    if (floorAttainment === null) return false;
    const isBelow = (cumulative: Amount): boolean =>
      target === null ? floorAttainment.gt(0) : cumulative.lt(floorAttainment.times(target));
    const seen =
      tierMode === 'retroactive' ? [this.wholePeriodCredit(this.repId, firing)] : [earlier.at(-1) ?? ZERO, after];
    return seen.every(isBelow);
  }

  /** Section 8, steps 4 and 5. */
  private limited(firing: Firing, raw: Amount, mayHaveFloor: boolean): Amount {
    const { capMultiplier } = firing.rule;
    const floor = firing.rule.floor?.times(firing.share.ofPay) ?? null;
    let limited = raw;
    // Step 4; section 8a, 6.
    if (floor !== null && mayHaveFloor && !firing.isCreditNote && limited.gte(0) && limited.lt(floor)) limited = floor;
    // Step 5.
    const variable = firing.quota?.fullVariableTarget ?? null;
    if (capMultiplier !== null && variable !== null) {
      const capAmount = capMultiplier.times(variable).times(firing.share.ofPay);
      if (limited.gt(capAmount)) limited = capAmount;
      if (limited.lt(capAmount.negated())) limited = capAmount.negated();
    }
    return limited;
  }

  /** Section 8, step 6; section 8a, 5. */
  private capped(firing: Firing, uncapped: Amount): Amount {
    const { rule } = firing;
    if (rule.cap === null) return uncapped;
    if (uncapped.lt(0) && !isBonusOfPeriod(rule)) {
      const left = uncapped.plus(this.excess(firing));
      return left.gt(0) ? ZERO : left;
    }
    const left = rule.cap.minus(this.paidSoFar(firing));
    const headroom = left.lt(0) ? ZERO : left;
    return uncapped.gt(headroom) ? headroom : uncapped;
  }

  /** What was cut off above the cap so far, and was not used. */
  private excess(firing: Firing): Amount {
    return sum(this.paidRows(firing).map((row) => this.cutOffOf(row)));
  }

  private cutOffOf(row: LedgerRow): Amount {
    if (!isRefundId(row.dealId)) return amount(row.cutOff ?? 0);
    const source = this.findSource(row);
    const part = source === undefined ? ZERO : amount(source.cutOff ?? 0).times(row.share?.pay ?? 0);
    return amount(part.toFixed(20));
  }

  /** What this rule already paid to this rep in this attainment period, in close order. */
  private paidSoFar(firing: Firing): Amount {
    return sum(this.paidRows(firing).map((row) => amount(row.amount)));
  }

  private paidRows({ plan, rule, period }: Firing): LedgerRow[] {
    return this.processed
      .map(({ row }) => row)
      .filter((row) => row.planId === plan.planId && row.ruleName === rule.name && row.period === period)
      .filter((row) => this.countsForCap(row));
  }

  /** Money model, section 6: a refund leaves room only in the period of its source. */
  private countsForCap(row: LedgerRow): boolean {
    if (!isRefundId(row.dealId)) return true;
    const source = this.findSource(row);
    return source !== undefined && this.isInPeriod(source.earnedOn, row.period);
  }

  private findSource(row: LedgerRow): LedgerRow | undefined {
    return this.processed.find(
      ({ row: source }) =>
        source.planId === row.planId &&
        source.ruleName === row.ruleName &&
        row.dealId.startsWith(`${refundId(source.dealId, '')}`),
    )?.row;
  }

  private tierValue(firing: Firing): Amount | null {
    if (firing.rule.tierValueField === '_deals') return firing.deals;
    if (firing.deal === null || firing.rule.tierValueField === null) return null;
    const exchange = this.exchange(firing.version, firing.rule, firing.deal);
    return this.readNumber(firing.version, firing.deal, firing.rule.tierValueField, exchange);
  }

  private wholePeriodCredit(repId: string, firing: Firing): Amount {
    return wholeSum(
      sum(
        this.previous
          .filter((row) => row.repId === repId && this.underKey(firing)(row))
          .map((row) => amount(row.credit)),
      ),
    );
  }

  private computeRank(firing: Firing): Amount {
    const days = this.daysOf(firing.period);
    const rivals = this.world.reps.filter(
      (rep) =>
        rep.repId !== this.repId &&
        this.world.assignments.some(
          (each) =>
            each.repId === rep.repId &&
            each.planId === firing.plan.planId &&
            (each.effectiveStart === null || each.effectiveStart <= days.last) &&
            (each.effectiveEnd === null || each.effectiveEnd >= days.first),
        ),
    );
    const mine = this.wholePeriodCredit(this.repId, firing);
    return amount(1 + rivals.filter((rep) => this.wholePeriodCredit(rep.repId, firing).gt(mine)).length);
  }
}

function isBonusOfPeriod({ payoutMode }: Rule): boolean {
  return payoutMode === 'flat_per_tier' || payoutMode === 'stepped_bonus';
}

function toRowLine({ line, credit }: { line: CountedLine; credit: Amount }, paid: Map<CountedLine, Amount>): RowLine {
  const { lineId, amount: stated } = line.line;
  const net = numberFrom(stated);
  return {
    lineId,
    net: net === null ? null : text(net),
    credit: text(credit),
    raw: text(paid.get(line) ?? ZERO),
  };
}

function toStoredShare({ ofCredit, ofPay }: Share): Pick<LedgerRow, 'share'> {
  return ofCredit.equals(1) && ofPay.equals(1) ? {} : { share: { credit: text(ofCredit), pay: text(ofPay) } };
}

function sameStep(a: Step, b: Step): boolean {
  return a.day === b.day && a.isPeriodEnd === b.isPeriodEnd && a.isRefund === b.isRefund && a.id === b.id;
}

/** Null: no quota, or target 0. */
function readTarget(quota: EffectiveQuota | null): Amount | null {
  return quota?.target.gt(0) === true ? quota.target : null;
}

function lastAtOrBelow(tiers: Tier[], x: Amount | null): Tier | null {
  return x === null ? null : (tiers.filter((tier) => tier.minThreshold.lte(x)).at(-1) ?? null);
}

interface Band {
  /** Null: without a lower end. */
  from: Amount | null;
  to: Amount | null;
  rate: Amount;
}

/** Section 7, `marginal`: the tiers' bands in credit. Without a target there is none. */
function buildBands(tiers: Tier[], target: Amount | null, belowZero: Tier | null): Band[] {
  if (target === null) return [];
  return tiers.map((tier, index) => ({
    from: tier === belowZero ? null : tier.minThreshold.times(target),
    to: tiers[index + 1]?.minThreshold.times(target) ?? null,
    rate: tier.rate ?? ZERO,
  }));
}

/** The part of the walk from the start that lies in the band. */
function partIn({ from, to }: Band, credit: Amount, start: Amount): Amount {
  const end = start.plus(credit);
  const low = start.lt(end) ? start : end;
  const high = start.lt(end) ? end : start;
  const overlapStart = from === null || low.gt(from) ? low : from;
  const overlapEnd = to?.lt(high) ? to : high;
  return overlapEnd.gt(overlapStart) ? overlapEnd.minus(overlapStart) : ZERO;
}

function marginal(bands: Band[], base: Amount, credit: Amount, start: Amount, tierBefore: Tier | null): Amount {
  if (credit.isZero()) return (tierBefore?.rate ?? ZERO).times(base);
  const parts = bands.map((band) => band.rate.times(base).times(partIn(band, credit, start)));
  // One division, at the end: a sum of quotients could miss an exact half cent. Backwards walks have part and credit
  // both negative, so the ratio is that of their magnitudes.
  return sum(parts).dividedBy(credit.abs());
}

/** The fields whose values a rule pays on. */
function paidFields({ measure, payoutBase }: Rule): string[] {
  const isField = payoutBase !== null && payoutBase !== 'variable_target' && payoutBase !== '1';
  // Counted deals have no currency, and earnings are in that of the plan.
  return (isField ? [measure, payoutBase] : [measure]).filter((slug) => slug !== '_deals' && slug !== '_earned');
}
