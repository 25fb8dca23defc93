import { type Day } from '../kernel/day.js';
import { type Period } from '../kernel/period.js';
import { type WrittenPlan } from './plan.js';
import { type PlanChange } from './plan-change.js';

/** The requested preview, as it is stored for the worker. */
export interface PreviewRequest {
  /** The planId or planVersionId of the request, which decides what the change applies to. */
  readonly planRef: string;
  readonly change: PlanChange;
  readonly from: Day;
  readonly to: Day;
  /** Null stands for everyone. */
  readonly repIds: readonly string[] | null;
}

/** The request of a preview, with the plan that it is about. */
export interface PreviewSubject {
  readonly planId: string;
  readonly request: PreviewRequest;
}

export interface Movement {
  readonly currency: string;
  readonly before: number;
  readonly after: number;
  readonly delta: number;
}

export interface MovedDeal extends Movement {
  /** Null for rules that pay once per period. */
  readonly dealId: string | null;
  /** The refund of the deal that takes the amount back. */
  readonly refundId?: string;
  /** The period of a rule that pays once per period. */
  readonly period?: Period;
  readonly repId: string;
  readonly ruleName: string;
  readonly reason?: string;
}

/** Everything but the deals. Names of people and deals are read with the response. */
export interface PreviewFigures extends Movement {
  readonly otherCurrencies: readonly Movement[];
  readonly timeline: WrittenPlan['timeline'];
  readonly byRep: readonly (Movement & { readonly repId: string })[];
  /** What refunds take back from each person, as negative commission; absent if nothing. */
  readonly refunds?: readonly (Movement & { readonly repId: string })[];
  readonly locked: readonly {
    readonly repId: string;
    readonly period: Period;
    readonly currency: string;
    readonly delta: number;
  }[];
  /**
   * What pay periods release of the amounts that move, where it differs. The period is null for what none of them
   * releases. Absent while payouts are off.
   */
  readonly byPayPeriod?: readonly (Movement & { readonly period: Period | null })[];
  readonly warnings: WrittenPlan['warnings'];
  readonly overridesDropped: NonNullable<WrittenPlan['overridesDropped']>;
  /** Absent if the version has no tests. */
  readonly testsPassed?: boolean;
}
