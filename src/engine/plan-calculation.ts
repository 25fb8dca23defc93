import { type Day, type DayRange, isEffective, isWithin } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { type Period, periodKinds, periodOf, periodRange, periodsTouching } from '../kernel/period.js';
import { CloseOrderWalk, type Entry, type Firing, type WalkListener } from './close-order-walk.js';
import { applicableVersion, type CompiledRule, type CompiledVersion } from './compiled-plan.js';
import { type ConditionTrace } from './condition.js';
import { absenceReason, asNumber, comparable, type FieldValue, isAbsent } from './field-value.js';
import {
  type AssignedPlan,
  type BlockedChange,
  type Decision,
  type HeldEvent,
  type Outcome,
  type RepInput,
  type UpstreamEvent,
} from './model.js';
import { type Payout } from './payout.js';
import { baseOf, creditOf, periodicBase, periodicCredit, sumOf, upstreamOf } from './rule-values.js';
import { type Deal } from './slug.js';
import { encodeTrace, type Reason } from './trace.js';

/** A deal to look at; with upstream events it is the team's, without it is the rep's own. */
export type Candidate = { readonly deal: Deal; readonly upstream: readonly UpstreamEvent[] | null };

export interface ResultCollector {
  readonly decisions: Decision[];
  readonly blocked: BlockedChange[];
  readonly outcomes: Outcome[];
  readonly credits: Map<string, Decimal>;
}

/** One plan of one rep: finds every rule that fires, minds what is held and frozen, and lets the walk pay. */
export class PlanCalculation implements WalkListener {
  private readonly walk: CloseOrderWalk;
  private readonly heldByKey = new Map<string, HeldEvent>();

  constructor(
    private readonly input: RepInput,
    private readonly plan: AssignedPlan,
    private readonly sink: ResultCollector,
  ) {
    this.walk = new CloseOrderWalk((key, period) => input.peerCredits(plan.planId, key, period), this);
    for (const held of input.held) {
      if (held.planId === plan.planId) this.heldByKey.set(`${held.ruleName}|${held.dealKey}`, held);
    }
  }

  run(deals: readonly Candidate[]): void {
    for (const candidate of deals) this.fireDeal(candidate);
    this.holdTheRest((held) => held.phase !== 'periodic');
    this.walk.advance();
    this.firePeriodicRules();
    this.holdTheRest((held) => held.phase === 'periodic');
    this.walk.advance();
    for (const [key, credit] of this.walk.credits()) this.sink.credits.set(`${this.plan.planId}|${key}`, credit);
  }

  decided(entry: Entry, firing: Firing, payout: Payout): void {
    const { rule } = firing.rule;
    const { version } = firing.version;
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
      trace: encodeTrace(payout, firing),
    });
    if (this.input.explain)
      this.sink.outcomes.push({
        ...outcome(entry.dealKey, firing.version, firing.rule, payout.reason),
        paid: !payout.amount.isZero(),
        amount: payout.amount,
      });
  }

  /** A frozen row that would be paid differently now is reported; the row itself stays. */
  held(entry: Entry, held: HeldEvent, firing: Firing | null, payout: Payout | null): void {
    if (firing === null || payout === null) return;
    const same =
      payout.amount.equals(held.amount) &&
      firing.credit.equals(held.credit) &&
      payout.base.equals(held.base) &&
      payout.tierName === held.tierName;
    if (!same && held.hold === 'frozen') this.sink.blocked.push(blockedChangeOf(this.input, held, 'change'));
    if (this.input.explain) {
      this.sink.outcomes.push({
        ...outcome(entry.dealKey, firing.version, firing.rule, 'statement_locked'),
        paid: !held.amount.isZero(),
        amount: held.amount,
      });
    }
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
    const measureValue = rule.readMeasure(deal);
    const measure = asNumber(measureValue);
    if (measure === null)
      return this.refuse(version, rule, deal.dealId, absenceReason(measureValue), undefined, [rule.rule.measure]);
    const base = baseOf(rule, deal, measure, inputs, quota);
    if (base === null) return this.refuseForBase(version, rule, deal.dealId, rule.readBase?.(deal));
    const tierFieldValue = rule.readTierValue?.(deal);
    const tierValue = rule.readTierValue === null ? null : asNumber(tierFieldValue);
    this.enter(day, deal.dealId, period, {
      version,
      rule,
      measure,
      credit: creditOf(rule, deal, measure),
      base,
      tierValue,
      tierValueAbsence: rule.readTierValue === null || tierValue !== null ? null : absenceReason(tierFieldValue),
      quota,
      seen: [...version.dealConditions.seen(deal), ...rule.conditions.seen(deal)],
      upstream: inputs,
    });
  }

  /** A firing joins the walk, unless an approved period stands in its way. */
  private enter(day: Day, dealKey: string, period: Period, firing: Firing): void {
    const { rule } = firing.rule;
    const held = this.takeHeld(rule.name, dealKey);
    const frozen = this.frozenOn(day);
    if (held?.hold === 'owned') {
      this.sink.blocked.push(blockedChangeOf(this.input, held, 'insert'));
      return this.refuse(firing.version, firing.rule, dealKey, 'statement_locked');
    }
    if (held?.hold === 'frozen') {
      const stays = held.earnedOn === day;
      if (!stays) this.sink.blocked.push(blockedChangeOf(this.input, held, 'change'));
      this.addHeld(held, stays ? firing : null);
      if (!stays) this.refuse(firing.version, firing.rule, dealKey, 'statement_locked');
      return;
    }
    if (held?.hold === 'stopped') {
      this.addHeld(held, null);
      return this.refuse(firing.version, firing.rule, dealKey, 'plan_not_active');
    }
    if (frozen !== undefined) {
      this.sink.blocked.push({
        period: frozen,
        planId: this.plan.planId,
        ruleName: rule.name,
        dealKey,
        change: 'insert',
      });
      return this.refuse(firing.version, firing.rule, dealKey, 'statement_locked');
    }
    const credit = rule.executionPhase === 'periodic' && rule.quotaGroup !== undefined ? Decimal.zero : firing.credit;
    this.walk.add({
      day,
      dealKey,
      position: firing.rule.position,
      period,
      key: firing.rule.key,
      ruleName: rule.name,
      credit,
      firing: credit === firing.credit ? firing : { ...firing, credit },
      held: null,
    });
  }

  private addHeld(held: HeldEvent, firing: Firing | null): void {
    this.walk.add({
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

  /** Held rows whose rule does not fire any more keep counting where they were recorded. */
  private holdTheRest(ofPass: (held: HeldEvent) => boolean): void {
    for (const [key, held] of this.heldByKey) {
      if (!ofPass(held)) continue;
      this.heldByKey.delete(key);
      if (held.hold === 'owned') continue;
      if (held.hold === 'frozen') this.sink.blocked.push(blockedChangeOf(this.input, held, 'reverse'));
      this.addHeld(held, null);
    }
  }

  /** Periodic rules fire once for every period that has ended with the rep on the plan, deals or no deals. */
  private firePeriodicRules(): void {
    for (const kind of periodKinds) {
      const used = this.plan.versions.some((version) => version.rules.some((rule) => isPeriodicOf(rule, kind)));
      if (!used) continue;
      for (const period of periodsTouching(this.periodicWindow(), kind)) {
        const { to } = periodRange(period);
        const version = this.versionOn(to, null);
        for (const rule of version?.rules ?? []) {
          if (version === null || !isPeriodicOf(rule, kind)) continue;
          if (to >= this.input.asOf) this.refuse(version, rule, period, 'period_not_ended');
          else this.firePeriodic(version, rule, period);
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
    const credit = periodicCredit(rule, deals, measure);
    const tierValue = rule.readTierValue === null ? null : sumOf(deals, rule.readTierValue);
    this.enter(day, period, period, {
      version,
      rule,
      measure,
      credit,
      base,
      tierValue,
      tierValueAbsence: null,
      quota,
      seen: [],
      upstream: [],
    });
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

  private refuseForBase(version: CompiledVersion, rule: CompiledRule, dealKey: string, value?: FieldValue): void {
    const { payoutBase } = rule.rule;
    if (payoutBase === 'variable_target') return this.refuse(version, rule, dealKey, 'variable_target_missing');
    this.refuse(version, rule, dealKey, absenceReason(value), undefined, [payoutBase ?? rule.rule.measure]);
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

export function blockedChangeOf(input: RepInput, held: HeldEvent, change: BlockedChange['change']): BlockedChange {
  const containing = input.frozen.find(({ range }) => isWithin(held.earnedOn, range))?.period;
  const period = held.frozenPeriod ?? containing ?? held.period;
  return { period, planId: held.planId, ruleName: held.ruleName, dealKey: held.dealKey, change };
}

function isPeriodicOf(rule: CompiledRule, kind: (typeof periodKinds)[number]): boolean {
  return rule.rule.executionPhase === 'periodic' && rule.rule.attainmentPeriod === kind;
}
