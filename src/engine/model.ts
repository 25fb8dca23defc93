import { type Day, type DayRange } from '../kernel/day.js';
import { type Decimal } from '../kernel/decimal.js';
import { type Period } from '../kernel/period.js';
import { type PeriodCalendar } from '../kernel/period-calendar.js';
import { type CarriedCredit } from './carried-credit.js';
import { type CompiledVersion, type RefundTerms } from './compiled-plan.js';
import { type ConditionTrace } from './condition.js';
import { type FxInput } from './convert-deal.js';
import { type AssignedDays, type Quota, type WorkingTime } from './effective-quota.js';
import { type CountedLine } from './line-trace.js';
import { type PersonFacts } from './person-facts.js';
import { type Deal } from './slug.js';
import { type CascadeInput, type Reason } from './trace.js';

export type Phase = 'per_deal' | 'cascade' | 'periodic';

/** A plan that the rep is or was assigned to. */
export interface AssignedPlan {
  readonly planId: string;
  /** The rep's assignments. An assignment without an end continues. */
  readonly assignments: readonly AssignedDays[];
  /** The versions of its timeline, in any order; empty while the plan is stopped. */
  readonly versions: readonly CompiledVersion[];
}

/** A deal of a rep below in the hierarchy, with the events that it earned there. */
export interface TeamDeal {
  readonly deal: Deal;
  readonly upstream: readonly UpstreamEvent[];
}

export interface UpstreamEvent {
  readonly repId: string;
  readonly planId: string;
  readonly ruleName: string;
  readonly phase: Phase;
  readonly currency: string;
  readonly amount: Decimal;
  /** The share that the event was calculated with, in the form of `formatShare`. */
  readonly share: string | null;
}

/**
 * A row that the calculation does not change: it occupies its natural key, and its recorded credit and amount count
 * for the deals around it. A `frozen` row belongs to an approved period. A `stopped` row lies on a day on which the
 * plan is stopped. A `retained` row was earned under an assignment that was deleted later; a firing on another day
 * replaces it. An `owned` row only occupies its key, which belongs to an approved period that no longer counts it;
 * it has no credit and no amount.
 */
export interface FixedEvent {
  readonly planId: string;
  readonly ruleName: string;
  readonly dealKey: string;
  readonly phase: Phase;
  readonly kind: 'frozen' | 'retained' | 'stopped' | 'owned';
  /** The approved period that owns the key; when absent, the one that contains `earnedOn`. */
  readonly frozenPeriod?: Period;
  readonly earnedOn: Day;
  readonly period: Period;
  readonly attainmentKey: string;
  readonly credit: Decimal;
  readonly base: Decimal;
  readonly amount: Decimal;
  readonly tierName: string | null;
  /** See {@link Decision.cutOff}; absent if nothing. */
  readonly cutOff?: Decimal | undefined;
  /** Of the event of a refund, in the form of `formatShare`. */
  readonly share?: string | null;
}

/** A stored row that counts for a deal with refunds. */
export interface RefundSource {
  readonly planId: string;
  readonly planVersionId: string;
  readonly ruleName: string;
  readonly dealKey: string;
  readonly category: 'commission' | 'bonus';
  readonly currency: string;
  readonly attainmentKey: string;
  readonly earnedOn: Day;
  readonly amount: Decimal;
  readonly credit: Decimal;
  /** See {@link Decision.cutOff}; absent if nothing. */
  readonly cutOff?: Decimal | undefined;
  /** Its counted lines; absent or null for a row without lines. */
  readonly lines?: readonly CountedLine[] | null;
  /** What a manager's row was calculated from. */
  readonly inputs: readonly CascadeInput[] | null;
  /** The days of the approved period that counts the row. */
  readonly approved: DayRange | null;
  /** The amount of the deal that was recorded with an approved row; absent if none was. */
  readonly dealAmount?: Decimal | null;
  readonly deal: Deal;
}

/** What the refunds of deals take back, and from whom. */
export interface RefundInput {
  /** The counted rows of the rep for the deals whose refunds are read. */
  readonly sources: readonly RefundSource[];
  /** What the rule of a version says; null for a version that no longer exists. */
  terms(planVersionId: string, ruleName: string): RefundTerms | null;
  /** What counts for people below on a deal or on a refund, by deal key. */
  below(dealKey: string): readonly UpstreamEvent[];
}

/** Everything that decides what one rep earns. The engine reads nothing else: no clock, no locale, no ledger. */
export interface RepInput {
  readonly repId: string;
  /** Today in the workspace's time zone; used only to know which periods have ended. */
  readonly asOf: Day;
  /** Days to calculate: whole attainment periods, or with `carried` their remaining days. */
  readonly window: DayRange;
  /** What counts on the days of the window's first attainment periods that lie before the window; default: nothing. */
  readonly carried?: readonly CarriedCredit[];
  readonly plans: readonly AssignedPlan[];
  readonly deals: readonly Deal[];
  readonly teamDeals: readonly TeamDeal[];
  readonly fixed: readonly FixedEvent[];
  /** Approved periods: nothing may be earned, changed or reversed on these days. */
  readonly frozen: readonly { readonly period: Period; readonly range: DayRange }[];
  quota(planId: string, key: string, period: Period): Quota | null;
  /** Read only for plans with prorated quotas or ramps; default: all days. */
  readonly workingTime?: WorkingTime;
  /** Read only by keys of rate tables. */
  readonly person?: PersonFacts;
  /** Read only for plans that convert; without it no rate is known. */
  readonly fx?: FxInput;
  /** Absent if no deal of the workspace has a refund. */
  readonly refunds?: RefundInput;
  /** Without a calendar, there are no fiscal years. */
  readonly calendar?: PeriodCalendar;
  /** Credits of the other reps on the plan for the key and period; read only for rank rules. */
  peerCredits(planId: string, key: string, period: Period): readonly Decimal[];
  /** The first day of periodic rules if neither plan nor assignment has a start. */
  readonly firstActivity: Day | null;
  readonly explain: ExplainedDeals;
}

/**
 * The deals of which every candidate rule returns an outcome with its reasons, paid or not: all, none, or the one with
 * the id.
 */
export type ExplainedDeals = boolean | { readonly dealId: string };

export function isExplained(explained: ExplainedDeals, dealKey: string): boolean {
  return typeof explained === 'boolean' ? explained : explained.dealId === dealKey;
}

/** One event as decided by the engine; the ledger row must equal it. */
export interface Decision {
  readonly planId: string;
  readonly planVersionId: string;
  readonly ruleId: string;
  readonly ruleName: string;
  readonly phase: Phase;
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
  /** In the form of `formatShare`. */
  readonly share: string | null;
  /** The exact part of the amount that was above the cap; negative if the event used what others had above it. */
  readonly cutOff: Decimal;
  /** `trace.ts` encodes and decodes it. */
  readonly trace: string;
}

/** A change that an approved period blocked. */
export interface BlockedChange {
  readonly period: Period;
  readonly planId: string;
  readonly ruleName: string;
  readonly dealKey: string;
  readonly change: 'insert' | 'change' | 'reverse';
}

/** The result of one candidate rule on one deal, paid or not; explains why a deal did not pay. */
export interface Outcome {
  readonly dealKey: string;
  readonly planId: string | null;
  readonly planVersionId: string | null;
  readonly ruleId: string | null;
  readonly ruleName: string | null;
  readonly paid: boolean;
  readonly amount: Decimal;
  readonly reason: Reason | null;
  /** Lists every condition with the value seen, if conditions failed. */
  readonly conditions: readonly ConditionTrace[];
  readonly missing: readonly string[];
}

export interface RepResult {
  readonly decisions: readonly Decision[];
  readonly blocked: readonly BlockedChange[];
  readonly outcomes: readonly Outcome[];
  /** The counted credit per plan, attainment key and period. */
  readonly credits: ReadonlyMap<string, Decimal>;
}
