import { type Decimal } from '../kernel/decimal.js';
import { type Period } from '../kernel/period.js';
import { type Rule } from './plan-config.js';

/** Sums of the events of one rule on the days of an attainment period before the calculated ones. */
export interface CarriedCredit {
  readonly planId: string;
  readonly attainmentKey: string;
  readonly period: Period;
  readonly credit: Decimal;
}

/**
 * Whether the payout of a deal depends on more than the sums of the earlier deals: on later deals, on other reps, on the
 * course of the credit, on what each of them was paid and lost under a cap, or on all deals at the end of the period.
 */
export function needsWholePeriod({ tierBy, tierMode, payoutMode, executionPhase, cap }: Rule): boolean {
  return (
    cap !== undefined ||
    tierBy === 'rank' ||
    tierMode === 'retroactive' ||
    payoutMode === 'flat_per_tier' ||
    payoutMode === 'stepped_bonus' ||
    executionPhase === 'periodic'
  );
}
