import { type Day } from '../kernel/day.js';
import { Decimal, maximum } from '../kernel/decimal.js';
import { getOrInsert } from '../kernel/get-or-insert.js';
import { type Period } from '../kernel/period.js';
import { type CarriedCredit } from './carried-credit.js';
import { type CompiledRule, type CompiledVersion } from './compiled-plan.js';
import { type SeenValue } from './condition.js';
import { type FiringConversion } from './convert-deal.js';
import { settleSum } from './exchange-rates.js';
import { type FormulaValue } from './formula-trace.js';
import { type FixedEvent, type UpstreamEvent } from './model.js';
import { type Payout, payOut } from './payout.js';
import { type PlannedRefund } from './plan-refunds.js';
import { type Deal } from './slug.js';
import { type TierInputs } from './tier-inputs.js';

/** The running credit under one attainment key in one period. */
interface Counter {
  cumulative: Decimal;
  periodCredit: Decimal;
  highWater: Decimal | null;
  dealCredit: Decimal;
  sliceStart: Decimal;
}

/** What one rule has paid in one period up to this point, and what its cap has cut off. */
interface Tally {
  paid: Decimal;
  cutOff: Decimal;
}

/** The inputs of the payout that do not depend on other firings. */
type OwnInputs = Pick<
  TierInputs,
  | 'measure'
  | 'credit'
  | 'base'
  | 'tierValue'
  | 'tierValueAbsence'
  | 'quota'
  | 'rampRate'
  | 'share'
  | 'isCreditNote'
  | 'lines'
  | 'source'
  | 'facts'
>;

/** A rule that fires, with its values. */
export interface Firing extends OwnInputs {
  readonly version: CompiledVersion;
  readonly rule: CompiledRule;
  readonly seen: readonly SeenValue[];
  readonly upstream: readonly UpstreamEvent[];
  readonly conversions: readonly FiringConversion[];
  readonly formulas: readonly FormulaValue<Decimal>[];
}

/** An occurrence on a day: a firing or a refund, a fixed row, or both if the rule of a fixed row still fires. */
interface PlanOccurrence {
  readonly day: Day;
  readonly dealKey: string;
  readonly position: number;
  readonly period: Period;
  readonly key: string;
  readonly ruleName: string;
  readonly credit: Decimal;
  readonly firing: Firing | null;
  readonly fixed: FixedEvent | null;
  /** Set for the rows of refunds, which follow the deals of their day. */
  readonly refund: {
    /** Null for a row without a refund. */
    readonly planned: PlannedRefund | null;
    /** Whether the source lies in the same period, so that a cap has room again. */
    readonly isOfPeriod: boolean;
    /** What it takes of what the cap cut off its source. */
    readonly computeCutOff: () => Decimal;
  } | null;
}

export interface Entry extends PlanOccurrence {
  readonly counter: Counter;
  readonly tally: Tally;
}

/** Receives the result of each entry during the walk. */
export interface WalkListener {
  decided(entry: Entry, firing: Firing, payout: Payout): void;
  fixed(entry: Entry, fixed: FixedEvent, firing: Firing | null, payout: Payout | null): void;
  /** Returns the amount of the refund's event. */
  refunded(
    entry: Entry,
    planned: PlannedRefund,
    credit: { readonly before: Decimal; readonly after: Decimal },
  ): Decimal;
}

/** The other reps' credits under a key and period, for ranks. */
type PeerCredits = (key: string, period: Period) => readonly Decimal[];

const entriesPerStep = 200;

/**
 * All occurrences under one plan, processed in close order with running counters. All entries are added before the
 * walk, since rank and retroactive tiers need the whole period's credit before the first payout.
 */
export class CloseOrderWalk {
  private readonly counters = new ByPeriod<Counter>(() => {
    const zero = Decimal.zero;
    return { cumulative: zero, periodCredit: zero, highWater: null, dealCredit: zero, sliceStart: zero };
  });
  private readonly tallies = new ByPeriod<Tally>(() => ({ paid: Decimal.zero, cutOff: Decimal.zero }));
  private readonly ranks = new Map<Counter, number>();
  private entries: Entry[] = [];

  constructor(
    private readonly peerCredits: PeerCredits,
    private readonly listener: WalkListener,
    /** Whether credits may be quotients, whose sums are compared without their last digits. */
    private readonly converts: boolean,
  ) {}

  add({ day, dealKey, position, period, key, ruleName, credit, firing, fixed, refund }: PlanOccurrence): void {
    const counter = this.counters.get(period, key);
    const tally = this.tallies.get(period, ruleName);
    counter.periodCredit = counter.periodCredit.plus(credit);
    // Copied by name: spreading an object of a dozen fields costs more than all the arithmetic on it.
    this.entries.push({ day, dealKey, position, period, key, ruleName, credit, firing, fixed, refund, counter, tally });
  }

  /** Counts the days before the first entry; see {@link CarriedCredit}. */
  carry({ period, attainmentKey, credit }: CarriedCredit): void {
    const counter = this.counters.get(period, attainmentKey);
    counter.cumulative = counter.cumulative.plus(credit);
    counter.periodCredit = counter.periodCredit.plus(credit);
    counter.sliceStart = counter.cumulative;
  }

  /** Processes the entries that were added since the last call, in steps; the counters continue. */
  *advance(): Generator<void, void> {
    const entries = this.entries.sort(byCloseOrderOfEntries);
    this.entries = [];
    let stepEnd = entriesPerStep;
    for (let start = 0; start < entries.length; ) {
      let end = start + 1;
      const first = entries[start] as Entry;
      while (end < entries.length && isSameDeal(entries[end] as Entry, first)) end += 1;
      this.walkDeal(entries.slice(start, end));
      start = end;
      if (start < stepEnd) continue;
      stepEnd = start + entriesPerStep;
      yield;
    }
  }

  /** All credit under the key in the period, of entries that were added; complete once the walk advances. */
  periodCredit(key: string, period: Period): Decimal {
    return this.toCompared(this.counters.get(period, key).periodCredit);
  }

  /** The credit under each key and period, as `key|period`. */
  credits(): Map<string, Decimal> {
    return new Map(this.counters.all().map(([period, key, counter]) => [`${key}|${period}`, counter.cumulative]));
  }

  /** The rules of one deal: each uses the credit of all of them, and marginal slices follow one another. */
  private walkDeal(entries: readonly Entry[]): void {
    for (const { counter, credit } of entries) counter.dealCredit = counter.dealCredit.plus(credit);
    for (const entry of entries) {
      const { counter, tally, credit, refund } = entry;
      const amount = refund === null ? this.pay(entry) : this.payRefund(entry, refund.planned);
      if (refund === null || refund.isOfPeriod) tally.paid = tally.paid.plus(amount);
      if (refund?.isOfPeriod === true) tally.cutOff = tally.cutOff.plus(refund.computeCutOff());
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

  private pay(entry: Entry): Decimal {
    const { fixed, firing, tally } = entry;
    const payout =
      firing === null
        ? null
        : payOut(firing.rule, this.buildTierInputs(entry, firing), firing.version.version.currency, this.converts);
    if (fixed !== null) this.listener.fixed(entry, fixed, firing, payout);
    else if (firing !== null && payout !== null) this.listener.decided(entry, firing, payout);
    const cutOff = fixed === null ? payout?.cutOff : fixed.cutOff;
    if (cutOff !== undefined) tally.cutOff = tally.cutOff.plus(cutOff);
    return fixed?.amount ?? payout?.amount ?? Decimal.zero;
  }

  private payRefund(entry: Entry, planned: PlannedRefund | null): Decimal {
    const { counter, fixed } = entry;
    if (planned === null) return fixed?.amount ?? Decimal.zero;
    const after = counter.cumulative.plus(counter.dealCredit);
    return this.listener.refunded(entry, planned, { before: counter.cumulative, after });
  }

  private buildTierInputs(entry: Entry, firing: Firing): TierInputs {
    const { counter } = entry;
    return {
      measure: firing.measure,
      credit: firing.credit,
      base: firing.base,
      tierValue: firing.tierValue,
      tierValueAbsence: firing.tierValueAbsence,
      quota: firing.quota,
      rampRate: firing.rampRate,
      share: firing.share,
      before: this.toCompared(counter.cumulative),
      sliceStart: this.toCompared(counter.sliceStart),
      after: this.toCompared(counter.cumulative.plus(counter.dealCredit)),
      periodCredit: this.toCompared(counter.periodCredit),
      highWater: counter.highWater === null ? null : this.toCompared(counter.highWater),
      rank: firing.rule.rule.tierBy === 'rank' ? this.computeRank(entry) : null,
      paid: entry.tally.paid,
      cutOff: entry.tally.cutOff,
      isCreditNote: firing.isCreditNote,
      lines: firing.lines,
      source: firing.source,
      facts: firing.facts,
    };
  }

  private toCompared(sum: Decimal): Decimal {
    return this.converts ? settleSum(sum) : sum;
  }

  private computeRank({ counter, key, period }: Entry): number {
    return getOrInsert(this.ranks, counter, () => {
      const own = this.toCompared(counter.periodCredit);
      const ahead = this.peerCredits(key, period).filter((credit) => own.isLessThan(this.toCompared(credit)));
      return 1 + ahead.length;
    });
  }
}

/** A value per period and name. Nested maps avoid joining two texts for every entry. */
class ByPeriod<T> {
  private readonly periods = new Map<Period, Map<string, T>>();

  constructor(private readonly make: () => T) {}

  get(period: Period, name: string): T {
    const names = getOrInsert(this.periods, period, () => new Map<string, T>());
    return getOrInsert(names, name, this.make);
  }

  all(): [period: Period, name: string, value: T][] {
    return [...this.periods].flatMap(([period, names]) =>
      [...names].map(([name, value]): [Period, string, T] => [period, name, value]),
    );
  }
}

function isSameDeal(a: Entry, b: Entry): boolean {
  return a.day === b.day && a.dealKey === b.dealKey;
}

function byCloseOrderOfEntries(a: Entry, b: Entry): number {
  return (
    compareText(a.day, b.day) ||
    Number(a.refund !== null) - Number(b.refund !== null) ||
    compareText(a.dealKey, b.dealKey) ||
    a.position - b.position
  );
}

/** Deals are taken by close date, then by id in plain string order. */
export function byCloseOrder(a: Deal, b: Deal): number {
  return compareText(a.closeDate, b.closeDate) || compareText(a.dealId, b.dealId);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
